import type { Handle } from '@reticle/kit/bus/bus'
import { followPeople } from './copies/follow-people.ts'
import type { WebhooksDb } from './db/schema.ts'
import { type MatchDeps, matchEvents } from './deliveries/match.ts'
import { appendEvents } from './event-log/append.ts'
import { followMembers } from './webhooks/owner-left.ts'

/**
 * Handles an event for the consumer group `reticle.webhooks`: writes messages, updates stored owner names and
 * memberships, and appends to the event log, all in the transaction of the bus.
 */
export function consumeEvents(deps: MatchDeps): Handle<WebhooksDb> {
  const handles = [matchEvents(deps), followPeople, followMembers, appendEvents]
  const handle: Handle<WebhooksDb> = async (tx, event, afterCommit) => {
    for (const each of handles)
      if (each.isFor?.(event.type) !== false) await each(tx, event, afterCommit)
  }
  return Object.assign(handle, {
    isFor: (type: string) => handles.some((each) => each.isFor?.(type) !== false),
  })
}
