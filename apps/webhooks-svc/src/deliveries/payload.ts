import type { Actor } from '@reticle/kit/bus/bus'

/** A fact that leaves the house: the record as GET returns it, addresses absolute. */
export interface Fact {
  event: string
  event_id: string
  /** Facts of one key are told in order. */
  key: string
  /** ISO 8601. */
  occurred_date: string
  /** The trace it is part of; for ourselves only. */
  traceparent?: string
  /** Key of the record in the payload: `task`. */
  resource: string
  record: Record<string, unknown>
  /** Old values of the changed fields; only on updates. */
  before_update?: Record<string, unknown>
  /** Counts of an annotation change. */
  annotations?: unknown
  /** Why an invitation went. */
  reason?: string
  /** Who did it; null: nobody that is a user. */
  actor: Actor | null
}

/** What makes the message of one webhook another one's. */
export interface Addressee {
  webhook_id: number
  delivery_id: string
  sequence: number
}

/**
 * The exact bytes that are sent, stored and signed (`spec/api-annotations.md` 4.4, `spec/extensions.md` 6), for one webhook
 * after the other. The record with all its labels is the same for each of them and becomes text once.
 *
 * @param base address of the API that paths follow: `https://host/api`
 */
export function bodiesOf(fact: Fact, base: string): (to: Addressee) => Buffer {
  const { event, occurred_date, resource, record, before_update, annotations, reason, actor } = fact
  const rest = JSON.stringify({
    created_date: occurred_date,
    [resource]: record,
    before_update,
    changes: before_update && changesOf(before_update, record),
    annotations,
    reason,
    sender: actor ? { url: `${base}/users/${actor.id}`, ...actor } : undefined,
  })
  return ({ webhook_id, delivery_id, sequence }) => {
    const head = JSON.stringify({ event, webhook_id, delivery_id, webhook_sequence: sequence })
    return Buffer.from(`${head.slice(0, -1)},${rest.slice(1)}`)
  }
}

function changesOf(before: Record<string, unknown>, record: Record<string, unknown>) {
  const changes = Object.entries(before).map(([key, from]) => [key, { from, to: record[key] }])
  return Object.fromEntries(changes)
}
