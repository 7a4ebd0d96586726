import { randomUUID } from 'node:crypto'
import type { Webhook } from '@reticle/contracts/rest/webhooks'
import type { CallContext } from '@reticle/kit'
import type { Clock } from '@reticle/kit/scheduling/clock'
import type { Transaction } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'
import { type RecordChange, recordEvents } from '../event-log/record-events.ts'
import { insertEvents } from '../event-log/repo.ts'
import { originOfCall, serverEvents } from '../event-log/server-events.ts'

const shown = [
  'target_url',
  'description',
  'events',
  'has_secret',
  'is_active',
  'enable_ssl',
  'dialect',
] as const

interface Deps {
  tx: Transaction<WebhooksDb>
  clock: Clock
}

/** Logs the creation or deletion of a webhook. */
export function logWebhook(
  { tx, clock }: Deps,
  action: 'create' | 'delete',
  record: Webhook,
  context: CallContext,
): Promise<void> {
  const { organization: organization_id } = record
  return logChange(tx, clock, { action, resource: 'webhook', record, organization_id }, context)
}

/** Logs every changed field; of the secret only whether one exists. */
export function logWebhookUpdate(
  { tx, clock }: Deps,
  old: Webhook,
  record: Webhook,
  context: CallContext,
): Promise<void> {
  const changed = shown.filter((name) => old[name] !== record[name])
  const before = Object.fromEntries(changed.map((name) => [name, old[name]]))
  const change = { action: 'update', resource: 'webhook', record, before } as const
  return logChange(tx, clock, { ...change, organization_id: record.organization }, context)
}

/** Logs a change of a record of this service directly, in the transaction of the change and without the bus. */
async function logChange(
  tx: Transaction<WebhooksDb>,
  clock: Clock,
  change: RecordChange & { organization_id: number | null },
  context: CallContext,
): Promise<void> {
  const when = { event_id: randomUUID(), timestamp: clock.now().toISOString() }
  const origin = originOfCall(context, { ...when, organization_id: change.organization_id })
  await insertEvents(tx, serverEvents(origin, recordEvents(change)))
}
