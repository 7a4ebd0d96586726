import { isManifest } from '@reticle/contracts/rest/sources'
import { FormatError } from '@reticle/formats/report/errors'
import { readMediaBytes } from '../../media/media-bytes.ts'
import { bucketKey } from '../../storage/with-buckets.ts'
import { UnusableInput } from '../../work/errors.ts'
import { ignore } from '../../work/report.ts'
import type { CreateWork } from '../../work/request-work.ts'
import { copyHere } from './bucket-copies.ts'
import type { BucketListing } from './bucket-listing.ts'
import { patternOf } from './bucket-pattern.ts'
import { gatherShare, type SourceDeps } from './deps.ts'
import { dropOtherManifests, type FrameManifest, readManifest } from './manifest.ts'
import { createExclusion } from './server-files.ts'
import { type SourceFile, toSourceFile } from './source-listing.ts'

type Params = CreateWork['params']
type CloudFileParams = Pick<
  Params,
  'server_files' | 'server_files_exclude' | 'filename_pattern' | 'copy_data' | 'cloud_storage_id'
>

/**
 * Gathers files of a cloud storage, each once, by their keys. They stay there unless `copy_data` is set. Pictures that
 * a manifest describes are not opened.
 *
 * @throws UnusableInput for a missing key, and when there are too many files
 */
export async function cloudFiles(params: CloudFileParams, deps: SourceDeps): Promise<SourceFile[]> {
  const { bucket } = deps
  if (params.cloud_storage_id === null) return []
  if (!bucket) throw new Error('no bucket listing for a request with a cloud storage')
  deps.progress(0, 'Listing files')
  const sizes = await namedFiles(params, bucket, deps)
  dropOtherManifests(sizes, params.server_files, deps.report)
  const manifest = await manifestOf(sizes, deps)
  const isOnly = manifest !== undefined && sizes.size === 1
  const isFiltered = params.filename_pattern !== null && params.server_files.length > 0
  if (manifest && (isOnly || isFiltered))
    await addListed(sizes, manifest.content, { asked: params, bucket, deps })
  const isNamed = new Set(params.server_files)
  const files = [...sizes].map(([key, size]): SourceFile => {
    const file = fileOf(key, size, deps, manifest?.content)
    return isNamed.has(key) ? { ...file, named: `server_files: ${key}` } : file
  })
  return params.copy_data ? copied(files, deps) : files
}

type Sizes = Map<string, number>

/** Finds the named files and all in named folders; a pattern without files selects all matching keys. */
async function namedFiles(
  params: CloudFileParams,
  bucket: BucketListing,
  deps: SourceDeps,
): Promise<Sizes> {
  const { server_files } = params
  const isExcluded = createExclusion(params.server_files_exclude)
  const isRequested =
    server_files.length === 0 ? createKeyFilter(params) : (key: string) => !isExcluded(key)
  const sizesByKey: Sizes = new Map()
  const folders = server_files.filter((path) => path.endsWith('/'))
  for (const path of server_files.length === 0 ? [''] : folders)
    await addBelow(path, { found: sizesByKey, bucket, isWanted: isRequested }, deps)
  const named = server_files.filter((path) => !path.endsWith('/') && !isExcluded(path))
  const sizes = await bucket.sizesOf(named)
  for (const key of named) sizesByKey.set(key, sizes.get(key) ?? raise(notThere(key)))
  assertFew(sizesByKey, deps)
  return inOrderOf(server_files, sizesByKey)
}

type KeyFilter = (key: string) => boolean

/** Creates the filter. A pattern replaces the exclusions. */
function createKeyFilter({ filename_pattern, server_files_exclude }: CloudFileParams): KeyFilter {
  if (filename_pattern !== null) return patternOf(filename_pattern)
  const isExcluded = createExclusion(server_files_exclude)
  return (key) => !isExcluded(key)
}

async function addBelow(
  path: string,
  {
    found: sizesByKey,
    bucket,
    isWanted: isRequested,
  }: { found: Sizes; bucket: BucketListing; isWanted: KeyFilter },
  deps: SourceDeps,
): Promise<void> {
  let isThere = path === ''
  for await (const files of bucket.below(path)) {
    isThere ||= files.length > 0
    for (const { key, size } of files) if (isRequested(key)) sizesByKey.set(key, size)
    assertFew(sizesByKey, deps)
  }
  if (!isThere) throw notThere(path)
}

function raise(error: Error): never {
  throw error
}

const notThere = (path: string) =>
  new UnusableInput(`server_files: '${path}' is not in the cloud storage, or empty`)

function assertFew(sizesByKey: Sizes, { limits }: SourceDeps): void {
  if (sizesByKey.size > limits.entries)
    throw new UnusableInput(`server_files: there are more than ${limits.entries} files`)
}

/** Sorts files as they were named; the files of a folder are at the position of the folder. */
function inOrderOf(paths: readonly string[], sizesByKey: Sizes): Sizes {
  if (paths.length < 2) return sizesByKey
  const places = new Map(paths.map((path, place) => [path, place]))
  const folders = paths.filter((path) => path.endsWith('/'))
  const place = (key: string) =>
    places.get(key) ?? places.get(folders.find((folder) => key.startsWith(folder)) ?? '') ?? 0
  return new Map([...sizesByKey].sort(([one], [other]) => place(one) - place(other)))
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
  {
    asked: params,
    bucket,
    deps,
  }: { asked: CloudFileParams; bucket: BucketListing; deps: SourceDeps },
): Promise<void> {
  const frames = [...places.keys()].filter(createKeyFilter(params))
  const wanted = [...new Set([...frames, ...frames.flatMap((key) => related.get(key) ?? [])])]
  if (wanted.length > deps.limits.entries)
    throw new UnusableInput(`server_files: there are more than ${deps.limits.entries} files`)
  const sizesByKey = await bucket.sizesOf(wanted)
  for (const key of wanted) {
    const size = sizesByKey.get(key)
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
