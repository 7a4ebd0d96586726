import { randomUUID } from 'node:crypto'
import { conflict, DomainError, notFound } from '@reticle/kit'
import { partAt, partKey, spreadBytes, takenOver } from '@reticle/kit/blob/spread'
import type { Transaction } from 'kysely'
import type { RequestsDb, UploadedFileRow } from '../../db/schema.ts'
import { registerDead } from '../../storage/repo-objects.ts'
import { updateFile } from './repo.ts'

type Tx = Transaction<RequestsDb>

/** A longer key means that many clients have taken over the file; object keys have at most 900 characters. */
const longestKey = 700

/**
 * Leases the next bytes of a locked file to the caller. An earlier writer may have died, so its lease ends and it
 * cannot record anything from now on; its late writes go to keys that are never read.
 *
 * @returns the updated row; without a lease when `offset` is not the end of the stored bytes
 * @throws DomainError too_large beyond the length of the file
 */
export async function openNext(
  tx: Tx,
  file: UploadedFileRow,
  { offset, bytes }: { offset: number; bytes: number },
): Promise<Pick<UploadedFileRow, 'name' | 'key' | 'tail' | 'offset' | 'lease'>> {
  if (offset !== file.offset) return { ...file, lease: null }
  const left = file.length - offset
  if (bytes > left)
    throw new DomainError('too_large', `${bytes} bytes were sent where ${left} are missing.`)
  const lease = randomUUID()
  const key = file.lease === null ? file.key : takenOver(file.key, offset)
  if (key.length > longestKey) throw tooManyTurns()
  await updateFile(tx, file.file_id, { key, lease })
  const unused = partKey(file.key, partAt(offset))
  if (key !== file.key && unused !== file.tail) await registerDead(tx, [unused])
  return { ...file, key, lease }
}

const tooManyTurns = () =>
  conflict('This file was sent by too many at once. DELETE it and begin anew.')

/**
 * Returns whether a complete file differs from the announced one. The writer of the last bytes of an announced file
 * states its checksum.
 */
export const isAnother = (
  { length, expected_sha256 }: UploadedFileRow,
  { offset, sha256 }: { offset: number; sha256?: string | undefined },
): boolean => expected_sha256 !== null && offset === length && sha256 !== expected_sha256

/**
 * Records how far a locked file is stored.
 *
 * @throws DomainError not_found for an offset outside the file: a bug of the caller
 */
export async function noteStored(
  tx: Tx,
  file: UploadedFileRow,
  { offset, is_over, sha256 }: { offset: number; is_over: boolean; sha256?: string | undefined },
): Promise<void> {
  const { file_id, key, length } = file
  if (offset < file.offset || offset > length) throw notFound()
  const isWhole = offset === length
  const hasTail = offset % spreadBytes !== 0 && !isWhole
  const tail = hasTail ? partKey(key, partAt(offset)) : null
  const lease = is_over || isWhole ? null : file.lease
  if (offset === file.offset) return updateFile(tx, file_id, { lease })
  const known = isWhole && sha256 !== undefined ? { sha256 } : {}
  await updateFile(tx, file_id, { offset, tail, lease, ...known })
  const rewritten = partKey(key, partAt(file.offset))
  if (file.tail !== null && file.tail !== rewritten) await registerDead(tx, [file.tail])
}
