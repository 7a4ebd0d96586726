import type { OperationInput } from '@reticle/contracts/api/operation'
import type { webhooks } from '@reticle/contracts/api/webhooks'
import type { OrganizationRole, Principal } from '@reticle/contracts/rest/principal'
import { webhookFields } from '@reticle/contracts/rest/webhooks'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'
import type { WebhookView } from './messages.ts'
import { webhookViews, workspaceOf } from './repo.ts'

type Query = OperationInput<typeof webhooks.listWebhooks>

const columns = {
  id: 'webhook.id',
  target_url: 'webhook.target_url',
  owner: 'webhook.owner_username',
  type: 'webhook.type',
  project_id: 'webhook.project_id',
  description: 'webhook.description',
  updated_date: 'webhook.updated_date',
} as const satisfies ColumnsOf<typeof webhookFields>

/** Returns a page of the webhooks that the caller may view. */
export function listWebhooks(
  db: Kysely<WebhooksDb>,
  principal: Principal,
  query: Query,
): Promise<ListPage<WebhookView>> {
  const rows = webhookViews(db).where(inScope(principal)).where(visibleTo(principal))
  return listPage(rows, query, webhookFields, columns)
}

/** Condition for the workspace that the request names. */
function inScope({ scope }: Principal): RawBuilder<SqlBool> {
  if (scope === null) return sql<SqlBool>`true`
  const { organization_id } = scope
  if (organization_id === null) return sql<SqlBool>`${workspaceOf} is null`
  return sql<SqlBool>`${workspaceOf} = ${organization_id}`
}

/**
 * Condition for visible webhooks: administrators see all; owners and maintainers see all of their organization;
 * others, and everyone with `only_own`, see their own and those of their projects where they are members.
 */
function visibleTo({
  user_id,
  role,
  organization_roles,
  only_own,
}: Principal): RawBuilder<SqlBool> {
  if (role === 'admin') return sql<SqlBool>`true`
  const own = sql<SqlBool>`${user_id} in (webhook.owner_id, project.owner_id)`
  const roles = Object.entries(organization_roles)
  if (roles.length === 0) return sql<SqlBool>`(${workspaceOf} is null and ${own})`
  const member = roles.map(([id]) => Number(id))
  const led = roles.filter(([id]) => !only_own && leads(role, organization_roles[id]))
  return sql<SqlBool>`(
    (${workspaceOf} is null or ${workspaceOf} = any(${member}::int[])) and ${own}
    or ${workspaceOf} = any(${led.map(([id]) => Number(id))}::int[]))`
}

const leads = (role: Principal['role'], own: OrganizationRole | undefined) =>
  role === 'user' && (own === 'owner' || own === 'maintainer')
