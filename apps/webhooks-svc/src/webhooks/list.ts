import type { Input } from '@reticle/contracts/api/operation'
import type { webhooks } from '@reticle/contracts/api/webhooks'
import type { Principal } from '@reticle/contracts/principal'
import { webhookFields } from '@reticle/contracts/rest/webhooks'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { Listed } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'
import type { WebhookView } from './messages.ts'
import { webhookViews } from './repo.ts'

type Query = Input<typeof webhooks.listWebhooks>

const columns = {
  id: 'webhook.id',
  target_url: 'webhook.target_url',
  owner: 'webhook.owner_username',
  type: 'webhook.type',
  project_id: 'webhook.project_id',
  description: 'webhook.description',
  updated_date: 'webhook.updated_date',
} as const satisfies ColumnsOf<typeof webhookFields>

/** A page of the webhooks that the caller may see: `spec/api-annotations.md` 4.2. */
export function listWebhooks(
  db: Kysely<WebhooksDb>,
  principal: Principal,
  query: Query,
): Promise<Listed<WebhookView>> {
  const rows = webhookViews(db).where(visibleTo(principal))
  return listPage(rows, query, webhookFields, columns)
}

/** Own ones and those of own projects; administrators see everything. */
function visibleTo({ user_id, role }: Principal) {
  if (role === 'admin') return sql<SqlBool>`true`
  return sql<SqlBool>`${user_id} in (webhook.owner_id, project.owner_id)`
}
