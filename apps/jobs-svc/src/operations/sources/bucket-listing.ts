import type { storages } from '@reticle/contracts/api/storages'
import type { SourceFiles } from '@reticle/contracts/rest/cloud-storages'
import type { CallContext, Service } from '@reticle/kit'
import { mapInBatches } from '../../storage/map-in-batches.ts'

/** Files of a cloud storage that are visible to the caller. */
export interface BucketListing {
  /** Yields all files below a prefix, page by page. */
  below: (prefix: string) => AsyncGenerator<SourceFiles['files']>
  /** Returns the sizes in bytes of the existing files. */
  sizesOf: (keys: readonly string[]) => Promise<Map<string, number>>
}

interface BucketQuery {
  cloud_storage_id: number
  task_id: number
}

export function openBucketListing(
  service: Pick<Service<typeof storages>, 'listSourceFiles'>,
  query: BucketQuery,
  context: CallContext,
): BucketListing {
  async function* below(prefix: string) {
    let token: string | undefined
    do {
      context.signal.throwIfAborted()
      const page = { ...query, prefix, is_key: false, ...(token !== undefined && { token }) }
      const { files, next } = await service.listSourceFiles(page, context)
      yield files.filter(({ key }) => key.startsWith(prefix) && !key.endsWith('/'))
      token = next
    } while (token !== undefined)
  }
  const one = async (prefix: string) =>
    (await service.listSourceFiles({ ...query, prefix, is_key: true }, context)).files[0]?.size
  return {
    below,
    sizesOf: async (keys) => {
      const sizes = new Map<string, number>()
      for (const group of byFolder(keys)) await findTogether(group, below, sizes)
      const left = keys.filter((key) => !sizes.has(key))
      for await (const [key, size] of mapInBatches(left, one, context.signal))
        if (size !== undefined) sizes.set(key, size)
      return sizes
    },
  }
}

/** From this number on, files of one folder are searched in its list instead of one by one. */
const many = 20
/** Files per page of projects-svc. */
const aPage = 500

function byFolder(keys: readonly string[]): string[][] {
  const groups = new Map<string, string[]>()
  for (const key of keys) {
    const folder = key.slice(0, key.lastIndexOf('/') + 1)
    const group = groups.get(folder)
    if (group) group.push(key)
    else groups.set(folder, [key])
  }
  return [...groups.values()].filter((group) => group.length >= many)
}

/**
 * Searches files in the list of their folder. Stops before that costs more than single lookups, as the folder may be
 * far larger.
 */
async function findTogether(
  keys: readonly string[],
  below: BucketListing['below'],
  sizes: Map<string, number>,
): Promise<void> {
  const requested = new Set(keys)
  let pages = Math.ceil((2 * keys.length) / aPage) + keys.length / many
  for await (const files of below(commonPrefix(keys))) {
    for (const { key, size } of files) if (requested.delete(key)) sizes.set(key, size)
    pages -= 1
    if (requested.size === 0 || pages <= 0) return
  }
}

function commonPrefix([first = '', ...others]: readonly string[]): string {
  let { length } = first
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1
  return first.slice(0, length)
}
