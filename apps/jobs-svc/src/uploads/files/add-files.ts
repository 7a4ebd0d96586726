import { randomUUID } from 'node:crypto'
import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { type DomainError, invalid } from '@reticle/kit'
import type { Transaction } from 'kysely'
import type { RequestsDb, UploadedFileRow, UploadRow } from '../../db/schema.ts'
import { deleteFiles, insertFiles, listNamed } from './repo.ts'

type Tx = Transaction<RequestsDb>

/**
 * Adds files that were stored whole.
 *
 * @throws DomainError invalid for a name that is taken
 */
export async function addWholeFiles(
  tx: Tx,
  { upload_id, prefix }: Pick<UploadRow, 'upload_id' | 'prefix'>,
  files: readonly UploadedFile[],
  owner_id: number,
): Promise<void> {
  const foreign = files.find(({ key }) => !key.startsWith(prefix))
  if (foreign) throw new Error(`${foreign.key} is not below ${prefix}`)
  const names = files.map(({ name }) => name)
  await makeRoom(tx, { upload_id, names, owner_id }, (name) =>
    invalid({ client_files: `The file ${name} was submitted already.` }),
  )
  await insertFiles(
    tx,
    { upload_id, prefix },
    files.map(({ name, key, size, sha256 }) => ({
      file_id: randomUUID(),
      owner_id,
      name,
      key,
      length: size,
      offset: size,
      sha256: sha256 ?? null,
    })),
  )
}

/**
 * Deletes replaceable files of these names: those of a failed attempt, and unfinished ones of the same user.
 *
 * @throws the refusal for a name of any other file
 */
export async function makeRoom(
  tx: Tx,
  { upload_id, names, owner_id }: { upload_id: string; names: readonly string[]; owner_id: number },
  refusal: (name: string) => DomainError,
): Promise<void> {
  const there = await listNamed(tx, upload_id, names)
  const taken = there.find((one) => !isReplaceable(one, owner_id))
  if (taken) throw refusal(taken.name)
  await deleteFiles(tx, there)
}

const isReplaceable = ({ is_kept, offset, length, owner_id }: UploadedFileRow, by: number) =>
  is_kept || (offset < length && owner_id === by)
