import { type CallContext, invalid } from '@reticle/kit'
import {
  assertKey,
  resolveStorage,
  type StorageCalls,
  type StorageLocation,
  type StorageUse,
  type UsableStorage,
} from './cloud-storage.ts'

/** Target of the file of an export: a cloud storage and the key in it; null: it stays here under this name. */
export interface ExportDestination {
  filename: string
  cloud_storage_id: number | null
}

interface DestinationOptions extends StorageLocation {
  filename?: string | undefined
}

/**
 * Resolves the target of a file: as the caller states, else the target storage of the object. A read-only access token
 * can create files for download, but cannot write to a cloud storage. The result is part of the parameters of the
 * request. Rules: docs/spec/requests.md#exports
 *
 * @param usual default name of the file
 * @throws DomainError as `resolveStorage`, and invalid for an invalid name
 */
export async function resolveExportDestination(
  options: DestinationOptions,
  { usual: defaultName, object }: Pick<StorageUse, 'object'> & { usual: string },
  storages: StorageCalls,
  context: CallContext,
): Promise<ExportDestination> {
  const storage = await resolveStorage(options, { use: 'target', object }, storages, context)
  const filename = nameOf(options.filename, defaultName, storage)
  return { filename, cloud_storage_id: storage?.cloud_storage_id ?? null }
}

const longest = 255 // bytes

/** Returns the requested name without control characters, else the default; in a cloud storage it is a key. */
function nameOf(
  requested: string | undefined,
  defaultName: string,
  storage: UsableStorage | undefined,
): string {
  const name = (requested ?? '').replace(/\p{Cc}/gu, '').trim()
  if (name === '') return `${storage?.prefix ?? ''}${defaultName}`
  if (storage) assertKey(name, storage)
  else if (/[/\\]/.test(name)) throw invalid({ filename: 'A file name has no path separators.' })
  if (Buffer.byteLength(name) > longest)
    throw invalid({ filename: `A file name has at most ${longest} bytes.` })
  return name
}
