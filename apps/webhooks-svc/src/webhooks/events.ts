import { webhookEvents } from '@reticle/contracts/events/webhook-events'
import type { webhookTypes } from '@reticle/contracts/rest/webhooks'

/** Returns the sorted names of the events that a type of webhook may subscribe to; `all` for every type. */
export function eventsOf(type: (typeof webhookTypes)[number] | 'all'): string[] {
  const names = Object.entries(webhookEvents).filter(
    ([, types]) => type === 'all' || types.includes(type),
  )
  return names.map(([name]) => name).sort()
}
