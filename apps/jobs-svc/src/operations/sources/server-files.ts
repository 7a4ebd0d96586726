import { filesBelow, shareKey } from '../../storage/share/files.ts'
import { UnusableInput } from '../../work/errors.ts'
import { ignore } from '../../work/report.ts'
import type { CreateWork } from '../../work/request-work.ts'
import { copyHere } from './bucket-copies.ts'
import { gatherShare, type SourceDeps } from './deps.ts'
import { dropOtherManifests } from './manifest.ts'
import { type SourceFile, toSourceFile } from './source-listing.ts'

type ServerFileParams = Pick<
  CreateWork['params'],
  'server_files' | 'server_files_exclude' | 'copy_data' | 'cloud_storage_id'
>

/**
 * Gathers files of the share, each once, by their paths within it. They stay there unless `copy_data` is set.
 *
 * @throws UnusableInput for a path that does not exist, and when there are too many files
 */
export async function gatherServerFiles(
  params: ServerFileParams,
  deps: SourceDeps,
): Promise<SourceFile[]> {
  const { server_files, copy_data } = params
  if (server_files.length === 0 || params.cloud_storage_id !== null) return []
  const { shareDir, report } = deps
  if (shareDir === undefined) throw new UnusableInput('server_files: there is no file share')
  const isExcluded = createExclusion(params.server_files_exclude)
  const found = new Map<string, SourceFile>()
  const listed = new Set<string>()
  for (const path of server_files) {
    if (listed.has(path)) ignore(report, path, 'listed twice in server_files')
    listed.add(path)
    const isThere = await addFiles(path, found, { ...deps, shareDir, isExcluded })
    if (!isThere)
      throw new UnusableInput(`server_files: '${path}' is not on the file share, or empty`)
  }
  dropOtherManifests(found, server_files, deps.report)
  const files = [...found.values()]
  if (!copy_data) return files
  return copyHere(files, 'share', deps, (share) =>
    deps.progress(gatherShare * share, 'Copying files'),
  )
}

interface AddDeps extends Pick<SourceDeps, 'limits' | 'signal'> {
  shareDir: string
  isExcluded: (path: string) => boolean
}

/**
 * Adds the files of a path.
 *
 * @returns false when the path is neither a file nor a folder with files
 */
async function addFiles(
  path: string,
  found: Map<string, SourceFile>,
  { shareDir, isExcluded, limits, signal }: AddDeps,
): Promise<boolean> {
  let isThere = false
  for await (const file of filesBelow(shareDir, path)) {
    signal.throwIfAborted()
    isThere = true
    if (isExcluded(file.path)) continue
    const whole = toSourceFile(file.path, shareKey(file), file.size)
    found.set(file.path, { ...whole, ...found.get(file.path), ...namedBy(path, file.path) })
    if (found.size > limits.entries)
      throw new UnusableInput(`server_files: there are more than ${limits.entries} files`)
  }
  return isThere
}

const namedBy = (given: string, path: string): Pick<SourceFile, 'named'> =>
  given.replace(/\/$/, '') === path ? { named: `server_files: ${path}` } : {}

/** Creates the exclusion test. A path that ends with a slash excludes the whole folder. */
export function createExclusion(paths: readonly string[]): (path: string) => boolean {
  const files = new Set(paths)
  const folders = paths.filter((path) => path.endsWith('/'))
  return (path) => files.has(path) || folders.some((folder) => path.startsWith(folder))
}
