import type { Webhook } from '@reticle/contracts/rest/webhooks'
import type { CallContext } from '@reticle/kit'
import type { Clock } from '@reticle/kit/clock'
import type { Transaction } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'
import { logChange } from '../event-log/note-change.ts'

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
