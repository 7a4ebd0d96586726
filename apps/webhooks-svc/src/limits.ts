import type { PartFacts } from '@reticle/contracts/rest/server'
import { longestUrl } from '@reticle/kit/outgoing/guard'
import { mostEvents } from './event-log/client-events.ts'

interface Limits {
  perProject: number
  perOrganization: number
}

/** Returns the limits of webhooks and events for `GET /server/limits`. */
export function describeLimits({ perProject, perOrganization }: Limits): PartFacts {
  return {
    limits: {
      webhooks_per_project: perProject,
      webhooks_per_organization: perOrganization,
      webhook_url_characters: longestUrl,
      client_events_per_call: mostEvents,
    },
    features: {},
    media: [],
    image_types: [],
  }
}
