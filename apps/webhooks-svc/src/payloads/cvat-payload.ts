import { isDeepStrictEqual } from 'node:util'
import { recordChanges } from '@reticle/contracts/dialects/cvat/records'
import type { Change, RecordFields } from '@reticle/contracts/dialects/record'
import { pingEvent } from '@reticle/contracts/events/webhook-events'
import type { DialectPayload, Fact } from './payload.ts'

const unchanged: Change = (record) => record

/** The payload that CVAT 2.58 sends: the record as the mount returns it, and no other fields. */
export function buildCvatPayload(fact: Fact, base: string): DialectPayload {
  const { event, resource, record, before_update, actor } = fact
  const change = recordChanges.get(resource) ?? unchanged
  const shown = change(record, base, '')
  const old = before_update && oldValues(change({ ...record, ...before_update }, base, ''), shown)
  const text = JSON.stringify({
    event,
    [resource]: shown,
    before_update: old,
    sender: actor ? senderOf(actor, base) : undefined,
  })
  return {
    changed_fields: Object.keys(old ?? {}).join(','),
    // A ping has no webhook_id there.
    bodyFor: ({ webhook_id }) =>
      Buffer.from(event === pingEvent ? text : `${text.slice(0, -1)},"webhook_id":${webhook_id}}`),
  }
}

/** Undefined where the change is one of fields that the dialect does not have. */
function oldValues(before: RecordFields, after: RecordFields): RecordFields | undefined {
  const changed = Object.keys({ ...before, ...after }).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  )
  if (changed.length === 0) return undefined
  return Object.fromEntries(changed.map((name) => [name, before[name] ?? null]))
}

function senderOf(actor: NonNullable<Fact['actor']>, base: string) {
  const { id, username, first_name, last_name } = actor
  return { url: `${base}/users/${id}`, id, username, first_name, last_name }
}
