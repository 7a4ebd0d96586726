import { type Kysely, sql } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'
import { type Candidate, chooseMessages, limits } from './choose.ts'

/** A message that only this process may send until its lease expires. */
export interface ClaimedMessage {
  id: number
  webhook_id: number
  lease_token: string
  sequence: number
  event_id: string
  delivery_id: string
  event: string
  body: Buffer
  /** Null for messages that are older than this column. */
  occurred_date: Date | null
  traceparent: string | null
  /** Number of attempts that ended before. */
  attempt: number
  /** Original message that this one sends again; null: none. */
  redelivery_of: number | null
  target_url: string
  secret_sealed: string | null
  old_secret_sealed: string | null
  old_secret_until_date: Date | null
  is_active: boolean
  enable_ssl: boolean
}

export interface ClaimOptions {
  now: Date
  /** Number of attempts that this process may start. */
  free: number
  /** Id of the webhook that was served last; the next claim continues after it. */
  after: number
}

const leaseSeconds = 30

/**
 * Claims due messages, fairly between webhooks and within the limits of concurrent attempts. An advisory lock lets
 * one process claim at a time, so that the limits hold for all processes together. Leases use the clock of the
 * database.
 *
 * @returns messages in the order in which the webhooks take turns
 */
export function claimMessages(
  db: Kysely<WebhooksDb>,
  { now, free, after }: ClaimOptions,
): Promise<ClaimedMessage[]> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('webhooks.claim'))`.execute(tx)
    const { rows } = await dueMessages(now).execute(tx)
    const chosen = chooseMessages(rows, free, after)
    const claimed = chosen.length === 0 ? [] : await leaseMessages(tx, chosen)
    return claimed.sort((one, other) => chosen.indexOf(one.id) - chosen.indexOf(other.id))
  })
}

/**
 * Returns the query for due messages, at most as many per webhook as may still start. A recursive walk along the
 * index visits each webhook once and reads few rows of it, however long its queue is.
 */
export const dueMessages = (now: Date) => sql<Candidate>`
  with recursive busy as (
    (select webhook_id from webhook_messages where status in ('pending', 'waiting')
      order by webhook_id limit 1)
    union all
    select (select webhook_id from webhook_messages
      where status in ('pending', 'waiting') and webhook_id > busy.webhook_id
      order by webhook_id limit 1)
    from busy where busy.webhook_id is not null
  ), running as (
    select w.id, w.failure_streak,
      coalesce(w.organization_id, p.organization_id) as organization_id, (
      select count(*)::integer from webhook_messages m
      where m.webhook_id = w.id and m.lease_until > now()
    ) as webhook_running
    from busy join webhooks w on w.id = busy.webhook_id left join projects p on p.id = w.project_id
  ), counted as (
    select *, coalesce(sum(webhook_running) over (partition by organization_id), 0)::integer
      as organization_running
    from running
  )
  select due.id, c.id as webhook_id, c.failure_streak, c.organization_id, c.webhook_running,
    c.organization_running
  from counted c cross join lateral (
    select id, next_attempt_date from ((${retries(now)}) union all (${firsts})) head
    where next_attempt_date <= ${now} and (lease_until is null or lease_until <= now())
    order by next_attempt_date, id
    limit greatest(0, ${limits.webhook} - c.webhook_running)
  ) due
  order by c.id, due.next_attempt_date, due.id`

/** Due retries of webhook `c`. A retry does not delay other messages. */
const retries = (now: Date) => sql`
  select id, next_attempt_date, lease_until from webhook_messages
  where webhook_id = c.id and status = 'waiting' and next_attempt_date <= ${now}
    and (lease_until is null or lease_until <= now())
  order by next_attempt_date, id limit ${limits.webhook}`

/** Number of keys to walk: at most half of them have a running attempt, and the rest fill the free slots. */
const walkLength = 2 * limits.webhook

/**
 * First attempts of webhook `c`. A first attempt waits until the first attempts of earlier messages with the same key
 * have ended, so only the first message of a key is considered. The walk takes the first keys in order, one step per
 * key, and adds the key of the oldest message, so that no key starves.
 */
const firsts = sql`
  with recursive walked as (
    (select key, 1 as step from webhook_messages where webhook_id = c.id and status = 'pending'
      order by key limit 1)
    union all
    select (select key from webhook_messages
      where webhook_id = c.id and status = 'pending' and key > walked.key order by key limit 1), step + 1
    from walked where key is not null and step < ${walkLength}
  ), keys as (
    select key from walked
    union
    (select key from webhook_messages where webhook_id = c.id and status = 'pending'
      order by next_attempt_date, id limit 1)
  )
  select first.* from keys cross join lateral (
    select id, next_attempt_date, lease_until from webhook_messages
    where webhook_id = c.id and status = 'pending' and key = keys.key order by sequence limit 1
  ) first`

/** Leases messages and reads the state of their webhooks at that moment: enabled or not, target and secrets. */
function leaseMessages(db: Kysely<WebhooksDb>, ids: number[]): Promise<ClaimedMessage[]> {
  return db
    .updateTable('webhook_messages as message')
    .from('webhooks as webhook')
    .whereRef('webhook.id', '=', 'message.webhook_id')
    .where('message.id', 'in', ids)
    .set({
      lease_until: sql`now() + make_interval(secs => ${leaseSeconds})`,
      lease_token: sql`gen_random_uuid()`,
    })
    .returning((from) => [
      'message.id',
      'message.webhook_id',
      from.ref('message.lease_token').$notNull().as('lease_token'),
      'message.sequence',
      'message.event_id',
      'message.delivery_id',
      'message.event',
      'message.body',
      'message.attempt',
      'message.occurred_date',
      'message.traceparent',
      'message.redelivery_of',
      'webhook.target_url',
      'webhook.secret_sealed',
      'webhook.old_secret_sealed',
      'webhook.old_secret_until_date',
      'webhook.is_active',
      'webhook.enable_ssl',
    ])
    .execute()
}
