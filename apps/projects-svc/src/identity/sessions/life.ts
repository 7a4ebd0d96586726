import type { IdentityDeps } from '../deps.ts'
import { deleteExpiredKeys } from '../mail/repo.ts'
import { deleteExpiredSessions, type SessionOfUser } from './repo.ts'

const dayMs = 86_400_000
/** Days without use after which a session ends (`spec/api-workspace.md` 2.1). */
const lifeMs = 14 * dayMs

/** Before this moment a session that was never used again has ended. */
export const lifeBefore = (now: Date) => new Date(now.getTime() - lifeMs)

export const expiryFrom = (now: Date) => new Date(now.getTime() + lifeMs)

/** A session that is used lives on; its end is moved at most once a day. */
export function isToBeRenewed({ expiry_date }: SessionOfUser, now: Date): boolean {
  return expiryFrom(now).getTime() - expiry_date.getTime() >= dayMs
}

/** Removes sessions and mailed keys that have ended by themselves. */
export async function purgeSessions({
  db,
  clock,
}: Pick<IdentityDeps, 'db' | 'clock'>): Promise<void> {
  await deleteExpiredSessions(db, clock.now())
  await deleteExpiredKeys(db, clock.now())
}
