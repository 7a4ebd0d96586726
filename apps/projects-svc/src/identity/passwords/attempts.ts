import { loginRejected } from '@reticle/contracts/events/users'
import { DomainError } from '@reticle/kit/errors'
import { type Cause, emit } from '@reticle/kit/outbox/emit'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../../db/schema.ts'
import { type Attempt, deleteFailures, insertFailure, listFailures } from './repo.ts'

/** `reliability.md` 11: this many wrong passwords per address and user within the window, then 429. */
const limit = 10
const windowMs = 10 * 60_000

type Db = Kysely<ProjectsDb>

/** @throws DomainError too_many with the seconds until the oldest failure no longer counts */
export async function refuseTooMany(db: Db, attempt: Attempt, now: Date): Promise<void> {
  const failures = await listFailures(db, attempt, windowStart(now))
  const [oldest] = failures.slice(-limit)
  if (!oldest || failures.length < limit) return
  const seconds = Math.ceil((oldest.getTime() + windowMs - now.getTime()) / 1000)
  const detail = `Request was throttled. Expected available in ${seconds} seconds.`
  throw new DomainError('too_many', detail, { retry_after: seconds })
}

export interface Failure extends Attempt {
  /** Whose password it was not; null: nobody is called like that. */
  user_id: number | null
}

/** Counts a wrong password, and tells the log of events of it. */
export async function recordFailure(
  db: Db,
  { user_id, ...attempt }: Failure,
  now: Date,
  cause: Cause,
): Promise<void> {
  const { username } = attempt
  await db.transaction().execute(async (tx) => {
    await insertFailure(tx, attempt, now)
    await emit(tx, loginRejected, { username, user_id, reason: 'wrong_password' }, cause)
  })
  await deleteFailures(db, windowStart(now))
}

const longestName = 254

/** What was typed as a user name, as it is counted and told. */
export const nameTried = (name: string) => name.toLowerCase().slice(0, longestName)

const windowStart = (now: Date) => new Date(now.getTime() - windowMs)
