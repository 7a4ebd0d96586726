import {
  type Insertable,
  type Kysely,
  type SqlBool,
  sql,
  type Transaction,
  type Updateable,
} from 'kysely'
import type { WebhookRow, WebhooksDb, WebhooksTable } from '../db/schema.ts'
import type { WebhookView } from './messages.ts'

type Db = Kysely<WebhooksDb>
type Tx = Transaction<WebhooksDb>

/**
 * Organization of a webhook: its own or that of its project. Null when the organization was deleted, because its
 * projects may still refer to it.
 */
export const workspaceOf = sql<number | null>`
  case when workspace.is_deleted then null else coalesce(webhook.organization_id, project.organization_id) end`

/** Returns the query for webhooks that users can see, each with its organization and newest delivery. */
export function webhookViews(db: Db) {
  return db
    .selectFrom('webhooks as webhook')
    .leftJoin('projects as project', 'project.id', 'webhook.project_id')
    .leftJoin('organizations as workspace', (join) =>
      join.on(
        sql<SqlBool>`workspace.id = coalesce(webhook.organization_id, project.organization_id)`,
      ),
    )
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom('webhook_deliveries as delivery')
          .select([
            'delivery.status_code as last_status',
            'delivery.updated_date as last_delivery_date',
          ])
          .whereRef('delivery.webhook_id', '=', 'webhook.id')
          .orderBy('delivery.updated_date', 'desc')
          .orderBy('delivery.id', 'desc')
          .limit(1)
          .as('newest'),
      (join) => join.onTrue(),
    )
    .where('webhook.ended_date', 'is', null)
    .selectAll('webhook')
    .select(['newest.last_status', 'newest.last_delivery_date'])
    .select(workspaceOf.as('workspace_id'))
}

export function findWebhook(db: Db, id: number): Promise<WebhookView | undefined> {
  return webhookViews(db).where('webhook.id', '=', id).executeTakeFirst()
}

export function lockWebhook(tx: Tx, id: number): Promise<WebhookRow | undefined> {
  return tx
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('ended_date', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** Project or organization that a webhook belongs to. */
export type WebhookScope = { project_id: number } | { organization_id: number }

const columnOf = (whose: WebhookScope) =>
  'project_id' in whose
    ? ({ column: 'project_id', id: whose.project_id } as const)
    : ({ column: 'organization_id', id: whose.organization_id } as const)

export async function countWebhooks(db: Db, whose: WebhookScope): Promise<number> {
  const { column, id } = columnOf(whose)
  const { count } = await db
    .selectFrom('webhooks')
    .select((from) => from.fn.countAll<number>().as('count'))
    .where(column, '=', id)
    .where('ended_date', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

export async function insertWebhook(db: Db, row: Insertable<WebhooksTable>): Promise<number> {
  const { id } = await db
    .insertInto('webhooks')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function updateWebhook(
  db: Db,
  id: number,
  changes: Updateable<WebhooksTable>,
): Promise<void> {
  await db.updateTable('webhooks').set(changes).where('id', '=', id).execute()
}

/** Deletes a webhook; its messages and deliveries are deleted by foreign keys. */
export async function deleteWebhook(db: Db, id: number): Promise<void> {
  await db.deleteFrom('webhooks').where('id', '=', id).execute()
}

/**
 * Ends the webhooks of a deleted project or organization. They are hidden from users but still deliver their pending
 * messages; `deliveries/repo-sweep.ts` deletes them later.
 */
export async function endWebhooks(db: Db, whose: WebhookScope, now: Date): Promise<void> {
  const { column, id } = columnOf(whose)
  await db
    .updateTable('webhooks')
    .set({ ended_date: now })
    .where(column, '=', id)
    .where('ended_date', 'is', null)
    .execute()
}

/** Returns the webhooks that a user owns in an organization, including those of its projects. */
export function listWebhooksOfMember(
  db: Db,
  { organization_id, owner_id }: { organization_id: number; owner_id: number },
): Promise<WebhookView[]> {
  return webhookViews(db)
    .where('webhook.owner_id', '=', owner_id)
    .where(sql<SqlBool>`${workspaceOf} = ${organization_id}`)
    .orderBy('webhook.id')
    .execute()
}

export async function saveOwnerLeft(
  db: Db,
  ids: readonly number[],
  owner_left_date: Date | null,
): Promise<void> {
  if (ids.length === 0) return
  await db.updateTable('webhooks').set({ owner_left_date }).where('id', 'in', ids).execute()
}
