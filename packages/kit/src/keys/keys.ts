import { type Kysely, sql } from 'kysely'

/** Milliseconds for which a key stands for the call it was first sent with. See docs/spec/rest.md#idempotency-keys. */
export const keyRetentionMs = 86_400_000
const retention = sql`interval '1 day'`

/** Duration of a lease. The holder renews it; after it expires, another attempt may claim the key. */
const lease = sql`interval '60 seconds'`

export interface KeyClaim {
  /** Row id: a uuid derived from the key and its scope. */
  id: string
  /** Id of the attempt. Claiming again with it extends the lease. */
  claim_id: string
  /** Hash of the requested operation, if it is known already; another one under the same key is rejected. */
  fingerprint?: string | undefined
}

export interface ClaimResult {
  /**
   * `yours`: execute the call as `call_id`; `running`: another attempt is executing it; `reused`: the key belongs to
   * another request; `answered`: return `answer` if the fingerprint matches.
   */
  state: 'yours' | 'running' | 'reused' | 'answered'
  call_id?: string
  fingerprint?: string
  /** Stored response in base64. */
  answer?: string
}

export interface KeySettlement extends KeyClaim {
  /**
   * Response in base64 to store for repetitions; if absent, the next
   * attempt executes the call again with the same call id.
   */
  answer?: string | undefined
}

/**
 * Returns handlers for the keys in the schema of a service. Each key is one row, first with a lease, later with the
 * response. All attempts of a row share a `call_id`, so that `runChange` recognizes an effect whose response was not
 * stored and does not repeat it.
 */
export function keyHandlers<T>(db: Kysely<T>) {
  return {
    claimKey: async ({ id, claim_id, fingerprint }: KeyClaim): Promise<ClaimResult> => {
      await forgetOldKey(db, id)
      const call_id = await claim(db, { id, claim_id, fingerprint })
      if (call_id) return { state: 'yours', call_id }
      return standing(await find(db, id), fingerprint)
    },

    settleKey: async ({ id, claim_id, fingerprint, answer }: KeySettlement): Promise<undefined> => {
      const kept = answer === undefined ? null : Buffer.from(answer, 'base64')
      await sql`
        update idempotency_keys set answer = ${kept},
          fingerprint = coalesce(fingerprint, ${fingerprint ?? null}), leased_until_date = '-infinity'
        where id = ${id} and claim_id = ${claim_id} and answer is null`.execute(db)
    },
  }
}

/** Deletes an expired key, which may still exist because the sweep runs only hourly. */
async function forgetOldKey<T>(db: Kysely<T>, id: string): Promise<void> {
  await sql`
    delete from idempotency_keys
    where id = ${id} and created_date < clock_timestamp() - ${retention}`.execute(db)
}

/** Claims the key in one statement, so that one of several concurrent attempts gets it. */
async function claim<T>(
  db: Kysely<T>,
  { id, claim_id, fingerprint }: KeyClaim,
): Promise<string | undefined> {
  const { rows } = await sql<{ call_id: string }>`
    insert into idempotency_keys as known (id, call_id, claim_id, leased_until_date, fingerprint)
    values (${id}, ${claim_id}, ${claim_id}, clock_timestamp() + ${lease}, ${fingerprint ?? null})
    on conflict (id) do update set claim_id = excluded.claim_id,
      leased_until_date = excluded.leased_until_date,
      fingerprint = coalesce(known.fingerprint, excluded.fingerprint)
    where known.answer is null
      and (known.claim_id = excluded.claim_id or known.leased_until_date < clock_timestamp())
      and coalesce(known.fingerprint = excluded.fingerprint, true)
    returning call_id`.execute(db)
  return rows[0]?.call_id
}

interface Known {
  fingerprint: string | null
  answer: Buffer | null
}

async function find<T>(db: Kysely<T>, id: string): Promise<Known | undefined> {
  const { rows } = await sql<Known>`
    select fingerprint, answer from idempotency_keys where id = ${id}`.execute(db)
  return rows[0]
}

function standing(known: Known | undefined, asked: string | undefined): ClaimResult {
  const { fingerprint, answer } = known ?? {}
  if (fingerprint && asked && fingerprint !== asked) return { state: 'reused' }
  if (!fingerprint || !answer) return { state: 'running' }
  return { state: 'answered', fingerprint, answer: answer.toString('base64') }
}
