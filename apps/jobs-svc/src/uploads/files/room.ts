import { DomainError } from '@reticle/kit'
import type { Transaction } from 'kysely'
import type { RequestsDb } from '../../db/schema.ts'
import { tenantOf } from '../../requests/post.ts'
import { lockTenant } from '../../requests/repo.ts'
import { bytesWaiting } from './repo.ts'

type Tx = Transaction<RequestsDb>

/**
 * Locks the upload quota of a user, before any lock of an upload, so that two concurrent requests cannot reserve the
 * same room.
 */
export const lockRoom = (tx: Tx, owner_id: number): Promise<void> =>
  lockTenant(tx, tenantOf(null, owner_id))

/**
 * Checks the upload quota of a user: unused uploads count until they expire. Requires the lock of the quota.
 *
 * @param bytes announced bytes; 0 (a form does not announce them) requires any room at all
 * @throws DomainError too_large
 */
export async function assertRoom(
  tx: Tx,
  owner_id: number,
  bytes: number,
  { uploadBytesPerUser: most }: { uploadBytesPerUser: number },
): Promise<void> {
  const waiting = await bytesWaiting(tx, owner_id)
  if (bytes > 0 ? waiting + bytes <= most : waiting < most) return
  throw new DomainError(
    'too_large',
    `Uploads of yours that nothing came of yet have ${waiting} bytes, at most ${most} are kept: finish or delete them.`,
    { code: 'uploads_full' },
  )
}
