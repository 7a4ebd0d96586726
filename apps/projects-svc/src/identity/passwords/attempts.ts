import { randomUUID } from 'node:crypto'
import { loginRejected } from '@reticle/contracts/events/users'
import { DomainError } from '@reticle/kit/call/errors'
import { networkOf } from '@reticle/kit/net/network'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Clock } from '@reticle/kit/scheduling/clock'
import type { Kysely, Transaction } from 'kysely'
import type { ProjectsDb, UserRow } from '../../db/schema.ts'
import { findUserByName } from '../repo.ts'
import {
  deleteFailures,
  deleteOrigins,
  hasLoggedFailures,
  hasOrigin,
  insertFailure,
  listFailures,
  listUnfamiliarFailures,
  listUnloggedAddresses,
  lockFailures,
  markFailuresLogged,
  type PasswordAttempt,
  upsertOrigin,
} from './repo.ts'

const minuteMs = 60_000

/** Limit on wrong passwords per network and account within the window; above it the response is 429. */
const ofNetwork = { limit: 10, windowMs: 10 * minuteMs }

/**
 * Limit on wrong passwords for one account from many networks. Networks from which the user signed in within
 * `familiarMs` are exempt and have only the limit of a network, so that guesses of an attacker do not lock the user
 * out there. Sessions and tokens need no password and continue to work
 * (`docs/spec/reliability.md#identity-and-secrets`).
 */
const ofAccount = { limit: 50, windowMs: 60 * minuteMs }
const familiarMs = 30 * 24 * 60 * minuteMs

const longestWindowMs = Math.max(ofNetwork.windowMs, ofAccount.windowMs)

type Db = Kysely<ProjectsDb>
type Account = Pick<UserRow, 'id' | 'username'>

/**
 * Returns the keys under which an attempt is counted. User name and e-mail of an account share one; an unknown name
 * costs the same queries.
 */
export async function attemptOf(
  db: Db,
  { name, cause }: { name: string; cause: EventCause },
  user: Account | undefined,
  now: Date,
): Promise<PasswordAttempt> {
  const address = networkOf(cause.address ?? '')
  const since = before(now, familiarMs)
  const is_familiar = await hasOrigin(db, user?.id ?? 0, address, since)
  return { address, username: nameTried(user?.username ?? name), is_familiar }
}

/** Rejects an attempt above a limit. @throws DomainError too_many with the seconds until the oldest failure expires */
export async function refuseTooMany(db: Db, attempt: PasswordAttempt, now: Date): Promise<void> {
  const own = await listFailures(db, attempt, newest(ofNetwork, now))
  refuseAbove(ofNetwork, own, now)
  if (attempt.is_familiar) return
  const all = await listUnfamiliarFailures(db, attempt, newest(ofAccount, now))
  refuseAbove(ofAccount, all, now)
}

type Allowance = typeof ofNetwork

const newest = ({ limit, windowMs }: Allowance, now: Date) => ({
  since: before(now, windowMs),
  most: limit,
})

function refuseAbove({ limit, windowMs }: Allowance, newestFirst: Date[], now: Date): void {
  const oldest = newestFirst[limit - 1]
  if (!oldest) return
  const seconds = Math.ceil((oldest.getTime() + windowMs - now.getTime()) / 1000)
  const detail = `Request was throttled. Expected available in ${seconds} seconds.`
  throw new DomainError('too_many', detail, { retry_after: seconds, limit })
}

/**
 * Counts a wrong password. The first failure of a network is logged as an event at once; failures within the next
 * minute are combined into one entry by `logFailures`.
 */
export async function recordFailure(
  db: Db,
  attempt: PasswordAttempt,
  { name, user_id }: { name: string; user_id: number | null },
  now: Date,
  cause: EventCause,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockFailures(tx, attempt.address)
    const isLogged = !(await hasLoggedFailures(tx, attempt.address, before(now, minuteMs)))
    await insertFailure(tx, attempt, { failed_date: now, logged_date: isLogged ? now : null })
    const username = nameTried(name)
    if (isLogged)
      await emit(tx, loginRejected, { username, user_id, reason: 'wrong_password' }, cause)
  })
}

/** Writes one log entry for each network whose last entry is a minute old, and deletes expired failures. */
export async function logFailures({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  const now = clock.now()
  for (const address of await listUnloggedAddresses(db))
    await db.transaction().execute(async (tx) => {
      await lockFailures(tx, address)
      if (await hasLoggedFailures(tx, address, before(now, minuteMs))) return
      await logFailuresOf(tx, address, now)
    })
  await deleteFailures(db, before(now, longestWindowMs))
}

async function logFailuresOf(
  tx: Transaction<ProjectsDb>,
  address: string,
  now: Date,
): Promise<void> {
  const names = await markFailuresLogged(tx, address, now)
  const [most] = names
  if (!most) return // another replica has logged them
  const user = await findUserByName(tx, most.username)
  const rejected = {
    username: most.username,
    user_id: user?.id ?? null,
    reason: 'wrong_password' as const,
    count: names.reduce((sum, { count }) => sum + count, 0),
    names: names.length,
  }
  await emit(tx, loginRejected, rejected, { principal: null, request_id: randomUUID(), address })
}

/** Stores that the user has signed in from this network. */
export const rememberOrigin = (db: Db, user_id: number, address: string, now: Date) =>
  upsertOrigin(db, user_id, address, now)

/** Deletes networks whose last use is too old. */
export const purgeOrigins = ({ db, clock }: { db: Db; clock: Clock }) =>
  deleteOrigins(db, before(clock.now(), familiarMs))

const longestName = 254

/** Returns a typed user name in the form that is counted and logged. */
export const nameTried = (name: string) => name.toLowerCase().slice(0, longestName)

const before = (now: Date, ms: number) => new Date(now.getTime() - ms)
