import { type Context, invalid } from '@reticle/kit'
import {
  assertKey,
  type Place,
  type Storages,
  storageFor,
  type Usable,
  type Use,
} from './storage.ts'

/** Where the file of an export goes: a cloud storage and the key there; null: it stays here, under this name. */
export interface Destination {
  filename: string
  cloud_storage_id: number | null
}

interface Wish extends Place {
  filename?: string | undefined
}

/**
 * Where a file goes that a caller asked for: as they say, else to the target storage of the object
 * (`spec/api-annotations.md` 2.1). A token that may only read makes files to be fetched here, and writes none elsewhere
 * (`spec/api-workspace.md` 2.3). What is answered belongs to the parameters of the request.
 *
 * @param usual what the file is called by default
 * @throws DomainError as `storageFor`, and invalid for a name that is none
 */
export async function destinationOf(
  wish: Wish,
  { usual, object }: Pick<Use, 'object'> & { usual: string },
  storages: Storages,
  context: Context,
): Promise<Destination> {
  const storage = await storageFor(wish, { use: 'target', object }, storages, context)
  const filename = nameOf(wish.filename, usual, storage)
  return { filename, cloud_storage_id: storage?.cloud_storage_id ?? null }
}

const longest = 255 // bytes

/** The wanted name without its control characters, else the usual one; in a cloud storage it is a key. */
function nameOf(wanted: string | undefined, usual: string, storage: Usable | undefined): string {
  const name = (wanted ?? '').replace(/\p{Cc}/gu, '').trim()
  if (name === '') return `${storage?.prefix ?? ''}${usual}`
  if (storage) assertKey(name, storage)
  else if (/[/\\]/.test(name)) throw invalid({ filename: 'A file name has no path separators.' })
  if (Buffer.byteLength(name) > longest)
    throw invalid({ filename: `A file name has at most ${longest} bytes.` })
  return name
}
