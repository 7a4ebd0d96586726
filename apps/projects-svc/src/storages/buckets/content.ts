import type { CloudStorageContent } from '@reticle/contracts/rest/cloud-storages'
import { invalid } from '@reticle/kit'
import type { Bucket, Level } from '@reticle/kit/bucket/bucket'
import { manifestKeys } from './manifest.ts'
import { mimeTypeOf } from './mime.ts'

/** Options of a listing of one level of a storage. */

export interface ContentQuery {
  /** Prefix of the keys; absent: the prefix of the storage. */
  prefix?: string
  next_token?: string
  page_size?: number
  manifest_path?: string
}

/** Part of a bucket that a storage shows. */
export interface BucketView {
  prefix: string
  manifests: readonly string[]
}

const defaultSize = 500

export async function listContent(
  bucket: Bucket,
  shown: BucketView,
  wanted: ContentQuery,
  signal: AbortSignal,
): Promise<CloudStorageContent> {
  const { next_token: token, page_size: size = defaultSize, manifest_path } = wanted
  const prefix = limitPrefix(shown.prefix, wanted.prefix ?? shown.prefix)
  if (prefix === 'nothing') return { content: [], next: null }
  if (typeof prefix === 'object') return { content: [directory(prefix.name)], next: null }
  const query = { prefix, token, size }
  if (manifest_path === undefined) return entriesOf(await bucket.list(query, signal), prefix)
  if (!shown.manifests.includes(manifest_path))
    throw invalid({ manifest_path: 'This is none of the manifests of the storage.' })
  const keys = manifestKeys(bucket.read(manifest_path, {}, signal), manifest_path)
  return entriesOf(await levelOf(keys, query), prefix)
}

/**
 * Limits a requested prefix to the prefix of the storage. Above it, only the next folder on the path to it is listed;
 * elsewhere nothing is.
 */
function limitPrefix(own: string, wanted: string): string | 'nothing' | { name: string } {
  if (wanted.startsWith(own)) return wanted
  if (!own.startsWith(wanted)) return 'nothing'
  const [name = '', ...further] = own.slice(folderOf(wanted).length).split('/')
  return further.length > 0 ? { name } : own
}

const folderOf = (prefix: string) => prefix.slice(0, prefix.lastIndexOf('/') + 1)

/** Returns names relative to the folder of the prefix. Some stores keep the folder itself as a key; it is left out. */
function entriesOf({ directories, keys, next }: Level, prefix: string): CloudStorageContent {
  const { length } = folderOf(prefix)
  const names = (all: readonly string[]) => all.map((one) => one.slice(length)).filter(Boolean)
  const folders = names(directories).map((name) => name.replace(/\/$/, ''))
  const files = names(keys)
  const content = [
    ...folders.sort().map(directory),
    ...files.sort().map((name) => ({ name, type: 'REG' as const, mime_type: mimeTypeOf(name) })),
  ]
  return { content, next }
}

const directory = (name: string) => ({ name, type: 'DIR' as const, mime_type: 'DIR' as const })

/** Groups unordered keys into one level and cuts it into pages. The token is the number of entries on earlier pages. */
async function levelOf(
  all: AsyncIterable<string>,
  { prefix, token = '0', size }: { prefix: string; token?: string; size: number },
): Promise<Level> {
  if (!/^\d{1,9}$/.test(token))
    throw invalid({ next_token: 'This is no token of an earlier page.' })
  const { length } = folderOf(prefix)
  const directories = new Set<string>()
  const keys = new Set<string>()
  for await (const key of all) {
    if (!key.startsWith(prefix)) continue
    const end = key.indexOf('/', Math.max(length, prefix.length))
    if (end < 0) keys.add(key)
    else directories.add(key.slice(0, end + 1))
  }
  const start = Number(token)
  const sorted = [...[...directories].sort(), ...[...keys].sort()]
  const page = sorted.slice(start, start + size)
  return {
    directories: page.filter((one) => directories.has(one)),
    keys: page.filter((one) => keys.has(one)),
    next: start + size < sorted.length ? String(start + size) : null,
  }
}
