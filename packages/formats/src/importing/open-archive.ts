/** Opens an upload that must be an archive, and finds the folder in it where the files of a format begin. */

import { detectUpload } from '../archive/detect.ts'
import type { RandomAccess } from '../archive/source.ts'
import { openZip, type ZipReader } from '../archive/zip-reader.ts'
import type { ConversionRun } from '../model/dataset.ts'
import { FormatError } from '../report/errors.ts'

/**
 * Opens an upload as an archive. Reports duplicate members, and empty files that should declare labels or files.
 * @throws {FormatError} when the upload is not an archive, is damaged or exceeds a limit
 */
export async function openArchive(source: RandomAccess, run: ConversionRun): Promise<ZipReader> {
  if ((await detectUpload(source)) !== 'zip') throw new FormatError('expected a ZIP archive')
  const zip = await openZip(source, run.archiveLimits)
  for (const name of zip.duplicates) {
    const reason = 'the archive has several members of one name, the last is used'
    run.report.note('skipped', 'duplicate-entry', reason, { file: name })
  }
  for (const { name, size } of zip.files.values())
    if (size === 0 && isDeclaring(name))
      run.report.note('skipped', 'ignored-file', 'the file is empty', { file: name })
  return zip
}

/**
 * Returns whether a file declares labels or lists other files. An empty file of boxes is valid; an empty file of this
 * kind is not.
 */
const isDeclaring = (name: string): boolean =>
  /(?:^|\/)(?:labelmap|class_names|classes|labels|label_colors)\.txt$/i.test(name) ||
  /\.(?:pbtxt|data|names|ya?ml|ini)$/i.test(name) ||
  (`/${name}`.includes('/ImageSets/') && name.endsWith('.txt'))

/** Maximum number of folders around the root of a format. */
const mostWrapping = 4

/**
 * Returns the folder, with its trailing `/`, that contains the files of a format: the least nested folder with a
 * marker. Undefined when no folder has a marker.
 * @param isMarker returns whether a path below the folder identifies the root
 */
export function rootOf(
  names: Iterable<string>,
  isMarker: (path: string) => boolean,
): string | undefined {
  let best: string | undefined
  for (const name of names) {
    const folders = name.split('/').slice(0, -1)
    for (let depth = 0; depth <= Math.min(folders.length, mostWrapping); depth += 1) {
      const root = folders
        .slice(0, depth)
        .map((folder) => `${folder}/`)
        .join('')
      if (!isMarker(name.slice(root.length))) continue
      if (best === undefined || depth < best.split('/').length - 1) best = root
      break
    }
  }
  return best
}
