import type { Webhook } from '@reticle/sdk'
import { type Migration, type MigrationWorkspace, migrateObject } from './migration.ts'

/**
 * Migrates webhooks last, so that they receive no events of the migration. Webhooks without a known secret are
 * disabled.
 */
export async function migrateWebhooks(
  migration: Migration,
  workspace: MigrationWorkspace,
): Promise<void> {
  const { signal } = migration.session
  for await (const webhook of workspace.source.listWebhooks.each({ sort: 'id' }, { signal }))
    await migrateObject(
      migration,
      { kind: 'webhook', from: webhook.id, name: webhook.target_url },
      () => migrateWebhook(migration, workspace, webhook),
    )
}

async function migrateWebhook(
  migration: Migration,
  { organization }: MigrationWorkspace,
  webhook: Webhook,
): Promise<void> {
  const { target, ledger, secrets, session } = migration
  const { id, type, target_url, description, content_type, enable_ssl, is_active } = webhook
  if (ledger.find('webhook', id).to) return
  const project_id =
    webhook.project_id === null ? null : ledger.find('project', webhook.project_id).to
  if (project_id === undefined) {
    const reason = `its project ${webhook.project_id} was not carried`
    await ledger.recordProblem('webhook', id, { what: 'failed', code: 'project', reason })
    return
  }
  const { signal } = session
  const { events: known } = await target.listWebhookEvents({ type }, { signal })
  const events = eventsOf(webhook)
  const unknown = events.filter((name) => !known.includes(name))
  const secret = secrets.webhooks[id]
  const body = {
    type,
    target_url,
    description,
    content_type,
    enable_ssl,
    dialect: 'cvat' as const,
    events: events.filter((name) => known.includes(name)).join(','),
    ...(secret !== undefined && { secret }),
    ...(project_id !== null && { project_id: Number(project_id) }),
    is_active: is_active && secret !== undefined,
  }
  const idempotency_key = await ledger.keyOf('webhook', id)
  const made = await target.createWebhook({ body }, { signal, organization, idempotency_key })
  await ledger.removeProblem('webhook', id, 'project')
  await ledger.note('webhook', id, { to: made.id })
  if (unknown.length > 0)
    await ledger.recordProblem('webhook', id, {
      what: 'changed',
      code: 'events',
      reason: `there are no events ${unknown.join(', ')} here`,
    })
  if (is_active && secret === undefined)
    await ledger.recordProblem('webhook', id, {
      what: 'left',
      code: 'switched_off',
      reason: `the source does not return its secret: \`reticle webhook update ${made.id} --secret FILE --active true\``,
    })
}

/** The source returns a list, the target text with commas. */
const eventsOf = ({ events }: { events: string | readonly string[] }): string[] =>
  [events]
    .flat()
    .flatMap((names) => names.split(','))
    .filter(Boolean)
