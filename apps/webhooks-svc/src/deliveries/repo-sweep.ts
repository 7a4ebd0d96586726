import type { Logger } from '@reticle/kit/observe/log'
import { deleteExpiredRows } from '@reticle/kit/outbox/inbox'
import type { Clock } from '@reticle/kit/scheduling/clock'
import { type Kysely, sql } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'

type Db = Kysely<WebhooksDb>

/** Days for which finished messages are kept. */
const retentionDays = 30
const mostKept = 1000 // finished messages, and deliveries, per webhook
const longestQueue = 10_000 // unfinished messages per webhook
/** Days after which no event of a deleted project can arrive any more: longer than the bus retains events. */
const endedDays = 8

export interface Swept {
  /** Number of messages that failed because the queue of their webhook is too long. */
  given_up: number
}

export interface SweepDeps {
  db: Db
  clock: Clock
  log: Logger
}

/** Deletes old messages, deliveries and inbox rows, and logs messages that were given up. */
export async function sweepAndReport({ db, clock, log }: SweepDeps): Promise<void> {
  const { given_up } = await sweepMessages(db, clock.now())
  if (given_up > 0) log.error({ given_up }, 'webhook messages given up: their queue is too long')
  await deleteExpiredRows(db, clock.now())
}

/** Deletes rows that exceed the age or count limits. One process runs it at a time; the others return at once. */
export function sweepMessages(db: Db, now: Date): Promise<Swept> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ leads: boolean }>`
      select pg_try_advisory_xact_lock(hashtext('webhooks.sweep')) as leads`.execute(tx)
    if (!rows[0]?.leads) return { given_up: 0 }
    const given_up = await failOverlongQueues(tx)
    await deleteOldMessages(tx, now)
    await deleteSurplus(tx)
    await deleteEndedWebhooks(tx, now)
    return { given_up }
  })
}

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * 86_400_000)

/** Fails the oldest retries of a webhook with an overlong queue. The messages stay readable. */
async function failOverlongQueues(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_messages m set status = 'failed'
    from webhooks w cross join lateral (
      select id from webhook_messages
      where webhook_id = w.id and status in ('pending', 'waiting')
      order by id desc offset ${longestQueue - 1} limit 1
    ) edge
    where m.webhook_id = w.id and m.id < edge.id and m.status = 'waiting' and m.lease_until is null
  `.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** Deliveries are deleted with their message by the foreign key. */
async function deleteOldMessages(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('webhook_messages')
    .where('created_date', '<', daysBefore(now, retentionDays))
    .where('status', 'not in', ['pending', 'waiting'])
    .execute()
}

async function deleteSurplus(db: Db): Promise<void> {
  await sql`
    delete from webhook_deliveries old
    using webhooks w cross join lateral (
      select updated_date, id from webhook_deliveries where webhook_id = w.id
      order by updated_date desc, id desc offset ${mostKept - 1} limit 1
    ) edge
    where old.webhook_id = w.id and (old.updated_date, old.id) < (edge.updated_date, edge.id)
  `.execute(db)
  await sql`
    delete from webhook_messages old
    using webhooks w cross join lateral (
      select id from webhook_messages where webhook_id = w.id and status not in ('pending', 'waiting')
      order by id desc offset ${mostKept - 1} limit 1
    ) edge
    where old.webhook_id = w.id and old.id < edge.id and old.status not in ('pending', 'waiting')
  `.execute(db)
}

/** Deletes webhooks of deleted projects that have no pending messages. */
async function deleteEndedWebhooks(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('webhooks')
    .where('ended_date', '<', daysBefore(now, endedDays))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_messages')
            .select('id')
            .whereRef('webhook_id', '=', 'webhooks.id')
            .where('status', 'in', ['pending', 'waiting']),
        ),
      ),
    )
    .execute()
}
