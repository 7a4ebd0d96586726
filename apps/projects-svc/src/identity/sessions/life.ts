import type { IdentityDeps } from '../deps.ts'
import { deleteExpiredKeys } from '../mail/repo.ts'
import { deleteExpiredSessions, type SessionOfUser } from './repo.ts'

const dayMs = 86_400_000
/** Days without use after which a session ends. */
const lifeMs = 14 * dayMs

/** Returns the latest time of last use at which a session has ended. */
export const lifeBefore = (now: Date) => new Date(now.getTime() - lifeMs)

export const expiryFrom = (now: Date) => new Date(now.getTime() + lifeMs)

/** Returns whether a used session should be extended; its expiry moves at most once a day. */
export function isToBeRenewed({ expiry_date }: SessionOfUser, now: Date): boolean {
  return expiryFrom(now).getTime() - expiry_date.getTime() >= dayMs
}

/** Deletes expired sessions and mailed keys. */
export async function purgeSessions({
  db,
  clock,
}: Pick<IdentityDeps, 'db' | 'clock'>): Promise<void> {
  await deleteExpiredSessions(db, clock.now())
  await deleteExpiredKeys(db, clock.now())
}
