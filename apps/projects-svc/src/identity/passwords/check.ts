import type { Clock } from '@reticle/kit/clock'
import type { Cause } from '@reticle/kit/outbox/emit'
import { turns } from '@reticle/kit/turns'
import type { Kysely } from 'kysely'
import type { ProjectsDb, UserRow } from '../../db/schema.ts'
import { findUserByName, replacePasswordHash } from '../repo.ts'
import { nameTried, recordFailure, refuseTooMany } from './attempts.ts'
import { type Password, passwordCache } from './cache.ts'
import { dummyHash, hashPassword, needsRehash, verifyPassword } from './hash.ts'

export interface Guess extends Password {
  /** Who tries; failures are counted per address and name. */
  cause: Cause
}

/** Answers the user, or undefined for a wrong name or password, which takes as long. */
export type Check = (guess: Guess) => Promise<UserRow | undefined>

/**
 * Two ways to check a password: `check` always hashes, `checkCached` only once a minute. Both throw `too_many` after ten
 * failures in ten minutes.
 */
export function passwordChecks(
  { db, clock }: { db: Kysely<ProjectsDb>; clock: Clock },
  verifyHash = verifyPassword,
) {
  const cache = passwordCache(clock)
  const inTurn = turns()
  const keyOf = (guess: Guess) => JSON.stringify(attemptOf(guess))

  const verify: Check = async (guess) => {
    const attempt = attemptOf(guess)
    await refuseTooMany(db, attempt, clock.now())
    const user = await findUserByName(db, guess.name)
    // Who was invited and has yet to register has none: no password opens that, which takes as long.
    const stored = user?.password_hash || undefined
    const isRight = await verifyHash(stored ?? dummyHash, guess.password)
    if (user && stored && isRight) return rehashed(db, user, guess.password)
    await recordFailure(db, { ...attempt, user_id: user?.id ?? null }, clock.now(), guess.cause)
    return undefined
  }
  const findCached: Check = async (guess) => {
    const user = await findUserByName(db, guess.name)
    return user && cache.has(guess, user.password_hash) ? user : undefined
  }
  const verifyAndKeep: Check = async (guess) => {
    const user = await verify(guess)
    if (user) cache.add(guess, user.password_hash)
    return user
  }

  const check: Check = (guess) => inTurn(keyOf(guess), () => verify(guess))
  const checkCached: Check = async (guess) =>
    (await findCached(guess)) ??
    inTurn(keyOf(guess), async () => (await findCached(guess)) ?? verifyAndKeep(guess))
  return { check, checkCached }
}

const attemptOf = ({ name, cause }: Guess) => ({
  address: cause.address ?? '',
  username: nameTried(name),
})

/** A password that was hashed with older figures is hashed with today's, now that it is known. */
async function rehashed(db: Kysely<ProjectsDb>, user: UserRow, password: string): Promise<UserRow> {
  if (!needsRehash(user.password_hash)) return user
  const password_hash = await hashPassword(password)
  const isReplaced = await replacePasswordHash(db, user, password_hash)
  return isReplaced ? { ...user, password_hash } : user
}
