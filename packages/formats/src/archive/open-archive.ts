/** An upload that has to be an archive, and where in it the files of a format begin (spec/formats.md 4.1). */
import { FormatError } from '../errors.ts'
import type { Run } from '../model.ts'
import { detectUpload } from './detect.ts'
import type { RandomAccess } from './source.ts'
import { openZip, type ZipReader } from './zip-reader.ts'

/**
 * Opens an upload as an archive. Reports members that have the same name, and empty files that should declare something.
 * @throws {FormatError} when it is none, is damaged or breaks a guard
 */
export async function openArchive(source: RandomAccess, run: Run): Promise<ZipReader> {
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

/** Whether a file declares labels or lists other files. An empty text of boxes is valid; an empty file of this kind is not. */
const isDeclaring = (name: string): boolean =>
  /(?:^|\/)(?:labelmap|class_names|classes|labels|label_colors)\.txt$/i.test(name) ||
  /\.(?:pbtxt|data|names|ya?ml|ini)$/i.test(name) ||
  (`/${name}`.includes('/ImageSets/') && name.endsWith('.txt'))

/** Folders around what a format begins with, at most. */
const mostWrapping = 4

/**
 * The folder, with its last `/`, below which a format's files lie: of those that have a marker the one that is wrapped least;
 * undefined where none has.
 * @param isMarker whether a path below the folder shows that this is the place
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
