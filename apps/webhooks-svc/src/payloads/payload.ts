import type { Actor } from '@reticle/kit/bus/bus'

/** Content of an event for external receivers: the record as GET returns it, with absolute URLs. */
export interface Fact {
  event: string
  event_id: string
  /** Facts of one key are delivered in order. */
  key: string
  /** ISO 8601 time. */
  occurred_date: string
  /** Trace context of the event; never sent to receivers. */
  traceparent?: string
  /** Key of the record in the payload, such as `task`. */
  resource: string
  record: Record<string, unknown>
  /** Old values of the changed fields; only for updates. */
  before_update?: Record<string, unknown>
  /** Counts of changed annotations. */
  annotations?: unknown
  /** Reason why an invitation was deleted. */
  reason?: string
  /** User that caused the event; null: none. */
  actor: Actor | null
}

/** Fields that differ between the messages of two webhooks. */
export interface Addressee {
  webhook_id: number
  delivery_id: string
  sequence: number
}

/** A fact in the form of one dialect. */
export interface DialectPayload {
  /** Names of `before_update`, with commas between. */
  changed_fields: string
  bodyFor: (to: Addressee) => Buffer
}

/**
 * Returns a function that builds the exact bytes to send, store and sign for one webhook
 * (docs/spec/webhooks.md#payloads). The record with all its labels is the same for every webhook and is serialized
 * once.
 *
 * @param base URL of the API that paths are appended to: `https://host/api`
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
