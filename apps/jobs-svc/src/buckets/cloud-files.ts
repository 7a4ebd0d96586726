import { isManifest } from '@reticle/contracts/rest/sources'
import { FormatError } from '@reticle/formats/errors'
import { readMediaBytes } from '../media/media-bytes.ts'
import { UnusableInput } from '../operations/operation.ts'
import { ignore } from '../operations/report.ts'
import type { CreateWork } from '../requests/work.ts'
import { gatherShare, type SourceDeps } from '../sources/deps.ts'
import { dropOtherManifests, type FrameManifest, readManifest } from '../sources/manifest.ts'
import { createExclusion } from '../sources/server-files.ts'
import { type SourceFile, toSourceFile } from '../sources/source-listing.ts'
import { copyHere } from './copies.ts'
import type { BucketListing } from './listing.ts'
import { patternOf } from './pattern.ts'
import { bucketKey } from './with-buckets.ts'

type Params = CreateWork['params']
type Asked = Pick<
  Params,
  'server_files' | 'server_files_exclude' | 'filename_pattern' | 'copy_data' | 'cloud_storage_id'
>

/**
 * Gathers files of a cloud storage, each once, by their keys. They stay there unless `copy_data` is set. Pictures that
 * a manifest describes are not opened.
 *
 * @throws UnusableInput for a missing key, and when there are too many files
 */
export async function cloudFiles(asked: Asked, deps: SourceDeps): Promise<SourceFile[]> {
  const { bucket } = deps
  if (asked.cloud_storage_id === null) return []
  if (!bucket) throw new Error('no bucket listing for a request with a cloud storage')
  deps.progress(0, 'Listing files')
  const sizes = await namedFiles(asked, bucket, deps)
  dropOtherManifests(sizes, asked.server_files, deps.report)
  const manifest = await manifestOf(sizes, deps)
  const isOnly = manifest !== undefined && sizes.size === 1
  const isFiltered = asked.filename_pattern !== null && asked.server_files.length > 0
  if (manifest && (isOnly || isFiltered))
    await addListed(sizes, manifest.content, { asked, bucket, deps })
  const isNamed = new Set(asked.server_files)
  const files = [...sizes].map(([key, size]): SourceFile => {
    const file = fileOf(key, size, deps, manifest?.content)
    return isNamed.has(key) ? { ...file, named: `server_files: ${key}` } : file
  })
  return asked.copy_data ? copied(files, deps) : files
}

type Sizes = Map<string, number>

/** Finds the named files and all in named folders; a pattern without files selects all matching keys. */
async function namedFiles(asked: Asked, bucket: BucketListing, deps: SourceDeps): Promise<Sizes> {
  const { server_files } = asked
  const isExcluded = createExclusion(asked.server_files_exclude)
  const isWanted = server_files.length === 0 ? wantedBy(asked) : (key: string) => !isExcluded(key)
  const found: Sizes = new Map()
  const folders = server_files.filter((path) => path.endsWith('/'))
  for (const path of server_files.length === 0 ? [''] : folders)
    await addBelow(path, { found, bucket, isWanted }, deps)
  const named = server_files.filter((path) => !path.endsWith('/') && !isExcluded(path))
  const sizes = await bucket.sizesOf(named)
  for (const key of named) found.set(key, sizes.get(key) ?? raise(notThere(key)))
  assertFew(found, deps)
  return inOrderOf(server_files, found)
}

type IsWanted = (key: string) => boolean

/** Creates the filter. A pattern replaces the exclusions. */
function wantedBy({ filename_pattern, server_files_exclude }: Asked): IsWanted {
  if (filename_pattern !== null) return patternOf(filename_pattern)
  const isExcluded = createExclusion(server_files_exclude)
  return (key) => !isExcluded(key)
}

async function addBelow(
  path: string,
  { found, bucket, isWanted }: { found: Sizes; bucket: BucketListing; isWanted: IsWanted },
  deps: SourceDeps,
): Promise<void> {
  let isThere = path === ''
  for await (const files of bucket.below(path)) {
    isThere ||= files.length > 0
    for (const { key, size } of files) if (isWanted(key)) found.set(key, size)
    assertFew(found, deps)
  }
  if (!isThere) throw notThere(path)
}

function raise(error: Error): never {
  throw error
}

const notThere = (path: string) =>
  new UnusableInput(`server_files: '${path}' is not in the cloud storage, or empty`)

function assertFew(found: Sizes, { limits }: SourceDeps): void {
  if (found.size > limits.entries)
    throw new UnusableInput(`server_files: there are more than ${limits.entries} files`)
}

/** Sorts files as they were named; the files of a folder are at the position of the folder. */
function inOrderOf(paths: readonly string[], found: Sizes): Sizes {
  if (paths.length < 2) return found
  const places = new Map(paths.map((path, place) => [path, place]))
  const folders = paths.filter((path) => path.endsWith('/'))
  const place = (key: string) =>
    places.get(key) ?? places.get(folders.find((folder) => key.startsWith(folder)) ?? '') ?? 0
  return new Map([...found].sort(([one], [other]) => place(one) - place(other)))
}

interface Listed {
  key: string
  content: FrameManifest
}

/** Reads the manifest. Unless the order depends on it, an unreadable manifest is one of many files. */
async function manifestOf(sizes: Sizes, deps: SourceDeps): Promise<Listed | undefined> {
  const [key, second] = [...sizes.keys()].filter(isManifest)
  if (key === undefined || second !== undefined) return undefined
  const pieces = readMediaBytes(deps.blobs, fileOf(key, sizes.get(key) ?? 0, deps))
  try {
    return { key, content: await readManifest(key, pieces) }
  } catch (thrown) {
    if (!(thrown instanceof FormatError) || sizes.size === 1) throw thrown
    ignore(deps.report, key, 'no manifest of images')
    return undefined
  }
}

/** Adds files that the manifest lists and the pattern matches, and their context images. */
async function addListed(
  sizes: Sizes,
  { places, related }: FrameManifest,
  { asked, bucket, deps }: { asked: Asked; bucket: BucketListing; deps: SourceDeps },
): Promise<void> {
  const frames = [...places.keys()].filter(wantedBy(asked))
  const wanted = [...new Set([...frames, ...frames.flatMap((key) => related.get(key) ?? [])])]
  if (wanted.length > deps.limits.entries)
    throw new UnusableInput(`server_files: there are more than ${deps.limits.entries} files`)
  const found = await bucket.sizesOf(wanted)
  for (const key of wanted) {
    const size = found.get(key)
    if (size === undefined)
      throw new UnusableInput(`The manifest lists '${key}', which is not in the cloud storage`)
    sizes.set(key, size)
  }
}

function fileOf(
  key: string,
  size: number,
  { task_id }: SourceDeps,
  manifest?: FrameManifest,
): SourceFile {
  const known = manifest?.pictures.get(key)
  return { ...toSourceFile(key, bucketKey(task_id, key, size), size), ...(known && { known }) }
}

async function copied(files: readonly SourceFile[], deps: SourceDeps): Promise<SourceFile[]> {
  const total = files.reduce((sum, { size }) => sum + size, 0)
  if (total > deps.limits.bytes)
    throw new UnusableInput(
      `copy_data: the files have ${total} bytes, at most ${deps.limits.bytes} are copied`,
    )
  return copyHere(files, 'cloud', deps, (share) =>
    deps.progress(gatherShare * share, 'Copying files'),
  )
}
