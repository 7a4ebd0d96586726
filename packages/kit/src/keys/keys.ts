import { type Kysely, sql } from 'kysely'

/** How long a key means the call it was first sent with (`spec/extensions.md` 7). */
export const keyRetentionMs = 86_400_000
const retention = sql`interval '1 day'`

/** Who works on a key says so again within this time; otherwise it died, and somebody else may. */
const lease = sql`interval '60 seconds'`

export interface KeyClaim {
  /** The key: a uuid made of everything that it belongs to. */
  id: string
  /** Who asks: a uuid of this attempt. Asking again makes the lease longer. */
  claim_id: string
  /** What is asked for, where that is known already; another one under the same key is refused. */
  fingerprint?: string | undefined
}

export interface Claimed {
  /**
   * `yours`: do it, as the call `call_id`; `running`: somebody else does; `reused`: it stands for something else;
   * `answered`: see `answer`, if it was asked for `fingerprint`.
   */
  state: 'yours' | 'running' | 'reused' | 'answered'
  call_id?: string
  fingerprint?: string
  /** Base64 of what was kept. */
  answer?: string
}

export interface KeySettlement extends KeyClaim {
  /** Base64 of what is kept for repeats; absent: the next one does it again, as the same call. */
  answer?: string | undefined
}

/**
 * Keys in the schema of a service. One row a key: first leased, later with its answer. All attempts of one row share a
 * `call_id`, so that an effect whose answer nobody kept is found again by `change` and not made twice.
 */
export function keyHandlers<T>(db: Kysely<T>) {
  return {
    claimKey: async ({ id, claim_id, fingerprint }: KeyClaim): Promise<Claimed> => {
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

/** A key that is too old is new, whether or not the hourly sweep has come by. */
async function forgetOldKey<T>(db: Kysely<T>, id: string): Promise<void> {
  await sql`
    delete from idempotency_keys
    where id = ${id} and created_date < clock_timestamp() - ${retention}`.execute(db)
}

/** In one statement, so that of many who ask at once one gets it. */
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

function standing(known: Known | undefined, asked: string | undefined): Claimed {
  const { fingerprint, answer } = known ?? {}
  if (fingerprint && asked && fingerprint !== asked) return { state: 'reused' }
  if (!fingerprint || !answer) return { state: 'running' }
  return { state: 'answered', fingerprint, answer: answer.toString('base64') }
}
