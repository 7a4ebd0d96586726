import { randomUUID } from 'node:crypto'
import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { type CallContext, invalid, invalidText } from '@reticle/kit'
import type { Transaction } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import {
  assertKey,
  resolveStorage,
  type StorageCalls,
  type StorageLocation,
  type StorageUse,
} from './cloud-storage.ts'
import { registerLive } from './repo-objects.ts'

/** File in a cloud storage. */
export interface ImportOrigin {
  cloud_storage_id: number
  key: string
}

interface OriginOptions extends StorageLocation {
  filename?: string | undefined
}

const longestKey = 1024 // bytes

/**
 * Resolves the source of an import: as the caller states, else the source storage of the object. Undefined: the file
 * was uploaded. Only the import itself checks whether the file exists (docs/spec/requests.md#imports).
 *
 * @throws DomainError as `resolveStorage`, and invalid without a key
 */
export async function resolveImportOrigin(
  options: OriginOptions,
  object: StorageUse['object'],
  storages: StorageCalls,
  context: CallContext,
): Promise<ImportOrigin | undefined> {
  const storage = await resolveStorage(options, { use: 'source', object }, storages, context)
  if (!storage) return undefined
  const { filename: key = '' } = options
  if (key === '') throw invalidText('The filename was not specified')
  assertKey(key, storage)
  if (Buffer.byteLength(key) > longestKey)
    throw invalid({ filename: `A key has at most ${longestKey} bytes.` })
  return { cloud_storage_id: storage.cloud_storage_id, key }
}

/** File that a request posted in this transaction has to fetch (`fetchImportFile`). */
export interface ComingFile {
  file: UploadedFile
  cloud_storage_id: number
  /** Key prefix of its copy, which is deleted with the request. */
  input_key: string
}

/** Registers the blob key for the copy of a file, so that the copy is deleted in every case. */
export async function comingFile(
  tx: Transaction<RequestsDb>,
  { cloud_storage_id, key }: ImportOrigin,
  organization_id: number | null,
): Promise<ComingFile> {
  const input_key = `requests/uploads/${randomUUID()}/`
  await registerLive(tx, { key: input_key, kind: 'upload', organization_id })
  return { file: { name: key, key: `${input_key}0`, size: 0 }, cloud_storage_id, input_key }
}
