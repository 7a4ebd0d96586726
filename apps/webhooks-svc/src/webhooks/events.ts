import { webhookEvents } from '@reticle/contracts/events/webhook-events'
import type { webhookTypes } from '@reticle/contracts/rest/webhooks'

/** Names of the events that a type of webhook may ask for, of all what any may, by name. */
export function eventsOf(type: (typeof webhookTypes)[number] | 'all'): string[] {
  const names = Object.entries(webhookEvents).filter(
    ([, types]) => type === 'all' || types.includes(type),
  )
  return names.map(([name]) => name).sort()
}
