import { DomainError } from '@reticle/kit'
import type { Transaction } from 'kysely'
import type { JobsSettings } from '../config.ts'
import type { RequestsDb } from '../db/schema.ts'
import { tenantOf } from '../requests/post.ts'
import { lockTenant } from '../requests/repo.ts'
import { bytesWaiting } from './repo.ts'

type Tx = Transaction<RequestsDb>

/** Before any lock of an upload: of two who ask for the same room at once, the second waits until the first has it. */
export const lockRoom = (tx: Tx, owner_id: number): Promise<void> =>
  lockTenant(tx, tenantOf(null, owner_id))

/**
 * Uploads that nothing came of yet take room until they expire: each person has so many bytes for them. To be called under the
 * lock of their room.
 *
 * @param bytes that are announced. Those of a form are not, so that with 0 there has to be any room at all
 * @throws DomainError too_large
 */
export async function assertRoom(
  tx: Tx,
  owner_id: number,
  bytes: number,
  { uploadBytesPerUser: most }: Pick<JobsSettings, 'uploadBytesPerUser'>,
): Promise<void> {
  const waiting = await bytesWaiting(tx, owner_id)
  if (bytes > 0 ? waiting + bytes <= most : waiting < most) return
  throw new DomainError(
    'too_large',
    `Uploads of yours that nothing came of yet have ${waiting} bytes, at most ${most} are kept: finish or delete them.`,
    { code: 'uploads_full' },
  )
}
