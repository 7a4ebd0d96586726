import { networkOf } from '@reticle/kit/net/network'
import type { EventCause } from '@reticle/kit/outbox/emit'
import type { Clock } from '@reticle/kit/scheduling/clock'
import { createKeyedQueue } from '@reticle/kit/scheduling/keyed-queue'
import type { Kysely } from 'kysely'
import type { ProjectsDb, UserRow } from '../../db/schema.ts'
import { findUserByName, replacePasswordHash } from '../repo.ts'
import { attemptOf, nameTried, recordFailure, refuseTooMany, rememberOrigin } from './attempts.ts'
import { passwordCache } from './cache.ts'
import { dummyHash, hashPassword, needsRehash, verifyPassword } from './hash.ts'

export interface Guess {
  name: string
  password: string
  /** Client of the attempt; failures are counted per address and name. */
  cause: EventCause
}

/** Function that returns the user, or undefined for a wrong name or password after the same time. */
export type Check = (guess: Guess) => Promise<UserRow | undefined>

/**
 * Creates two password checks: `check` always computes a hash, `checkCached` at most once a minute. Both throw
 * `too_many` after ten failures in ten minutes.
 */
export function passwordChecks(
  { db, clock }: { db: Kysely<ProjectsDb>; clock: Clock },
  verifyHash = verifyPassword,
) {
  const cache = passwordCache(clock)
  const inTurn = createKeyedQueue()

  const verify: Check = async (guess) => {
    const user = await findUserByName(db, guess.name)
    const attempt = await attemptOf(db, guess, user, clock.now())
    await refuseTooMany(db, attempt, clock.now())
    // An invited user without a password is compared with the dummy hash, which takes the same time.
    const stored = user?.password_hash || undefined
    const isRight = await verifyHash(stored ?? dummyHash, guess.password)
    if (user && stored && isRight) {
      await rememberOrigin(db, user.id, attempt.address, clock.now())
      return rehashed(db, user, guess.password)
    }
    const tried = { name: guess.name, user_id: user?.id ?? null }
    await recordFailure(db, attempt, tried, clock.now(), guess.cause)
    return undefined
  }
  const findCached: Check = async (guess) => {
    const user = await findUserByName(db, guess.name)
    return user && cache.has(fromNetwork(guess), user.password_hash) ? user : undefined
  }
  const verifyAndKeep: Check = async (guess) => {
    const user = await verify(guess)
    if (user) cache.add(fromNetwork(guess), user.password_hash)
    return user
  }

  const check: Check = (guess) => inTurn(keyOf(guess), () => verify(guess))
  const checkCached: Check = async (guess) =>
    (await findCached(guess)) ??
    inTurn(keyOf(guess), async () => (await findCached(guess)) ?? verifyAndKeep(guess))
  return { check, checkCached }
}

/** Guesses of one name from one network run one at a time, so that none escapes the count. */
const keyOf = ({ name, cause }: Guess) =>
  JSON.stringify([networkOf(cause.address ?? ''), nameTried(name)])

/**
 * A cached password is valid in its own network only: a hit from another network would confirm a guess to an
 * attacker.
 */
const fromNetwork = ({ name, password, cause }: Guess) => ({
  name,
  password,
  network: networkOf(cause.address ?? ''),
})

/** Rehashes a verified password whose hash has outdated parameters. */
async function rehashed(db: Kysely<ProjectsDb>, user: UserRow, password: string): Promise<UserRow> {
  if (!needsRehash(user.password_hash)) return user
  const password_hash = await hashPassword(password)
  const isReplaced = await replacePasswordHash(db, user, password_hash)
  return isReplaced ? { ...user, password_hash } : user
}
