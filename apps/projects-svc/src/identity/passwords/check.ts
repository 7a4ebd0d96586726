import type { Clock } from '@reticle/kit/clock'
import { turns } from '@reticle/kit/turns'
import type { Kysely } from 'kysely'
import type { ProjectsDb, UserRow } from '../../db/schema.ts'
import { findUserByName, replacePasswordHash } from '../repo.ts'
import { recordFailure, refuseTooMany } from './attempts.ts'
import { type Password, passwordCache } from './cache.ts'
import { dummyHash, hashPassword, needsRehash, verifyPassword } from './hash.ts'

export interface Guess extends Password {
  /** Where the client is; failures are counted per address and name. */
  address: string
}

/** Answers the user, or undefined for a wrong name or password, which takes as long. */
export type Check = (guess: Guess) => Promise<UserRow | undefined>

const longestName = 254

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
  const keyOf = ({ address, name }: Guess) => JSON.stringify([address, name.toLowerCase()])

  const verify: Check = async (guess) => {
    const attempt = {
      address: guess.address,
      username: guess.name.toLowerCase().slice(0, longestName),
    }
    await refuseTooMany(db, attempt, clock.now())
    const user = await findUserByName(db, guess.name)
    const isRight = await verifyHash(user?.password_hash ?? dummyHash, guess.password)
    if (user && isRight) return rehashed(db, user, guess.password)
    await recordFailure(db, attempt, clock.now())
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

/** A password that was hashed with older figures is hashed with today's, now that it is known. */
async function rehashed(db: Kysely<ProjectsDb>, user: UserRow, password: string): Promise<UserRow> {
  if (!needsRehash(user.password_hash)) return user
  const password_hash = await hashPassword(password)
  const isReplaced = await replacePasswordHash(db, user, password_hash)
  return isReplaced ? { ...user, password_hash } : user
}
