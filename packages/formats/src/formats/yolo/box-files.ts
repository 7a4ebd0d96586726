/** Names of the text files that contain the boxes of images. */
import { noteSharedName } from '../../exporting/export-files.ts'
import type { ConversionRun } from '../../model/dataset.ts'
import { withoutExtension } from '../../text/paths.ts'

/**
 * Returns a function that names the text files of consecutive images: `a.txt` for `a.jpg`, and `a.png.txt` for a
 * following `a.png`, which is reported. The import uses the same rule.
 */
export function boxFileNames(run: Pick<ConversionRun, 'report'>): (path: string) => string {
  const taken = new Set<string>()
  return (path) => {
    const [short, long] = boxFilesOf(path)
    const isShared = taken.has(short)
    if (isShared) noteSharedName(path, run)
    const free = isShared ? long : short
    taken.add(free)
    return free
  }
}

/** Returns the possible names, most likely first. */
export const boxFilesOf = (path: string): [short: string, long: string] => [
  `${withoutExtension(path)}.txt`,
  `${path}.txt`,
]
