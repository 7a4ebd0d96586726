import type { Insertable, Kysely, Transaction, Updateable } from 'kysely'
import type { WebhookRow, WebhooksDb, WebhooksTable } from '../db/schema.ts'
import type { WebhookView } from './messages.ts'

type Db = Kysely<WebhooksDb>
type Tx = Transaction<WebhooksDb>

/** Webhooks that are there for their users, each with its project's organization and its newest delivery. */
export function webhookViews(db: Db) {
  return db
    .selectFrom('webhooks as webhook')
    .leftJoin('projects as project', 'project.id', 'webhook.project_id')
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
    .select(['project.organization_id', 'newest.last_status', 'newest.last_delivery_date'])
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

export async function countWebhooks(db: Db, project_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('webhooks')
    .select((from) => from.fn.countAll<number>().as('count'))
    .where('project_id', '=', project_id)
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

/** Its messages and deliveries go with it. */
export async function deleteWebhook(db: Db, id: number): Promise<void> {
  await db.deleteFrom('webhooks').where('id', '=', id).execute()
}

/** Those of a deleted project: gone for everybody, but they deliver what they owe (`deliveries/sweep.ts` ends that). */
export async function endWebhooks(db: Db, project_id: number, now: Date): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({ ended_date: now })
    .where('project_id', '=', project_id)
    .where('ended_date', 'is', null)
    .execute()
}
