/** Which text has the boxes of a picture. */
import { noteSharedName } from '../export-files.ts'
import { withoutExtension } from '../members.ts'
import type { Run } from '../model.ts'

/**
 * Names the texts of pictures, one after the other: `a.jpg` has `a.txt`; where an `a.png` follows, that has
 * `a.png.txt`, which the import finds in the same way and the report tells.
 */
export function boxFileNames(run: Pick<Run, 'report'>): (path: string) => string {
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

/** The names it may have, the likeliest first. */
export const boxFilesOf = (path: string): [short: string, long: string] => [
  `${withoutExtension(path)}.txt`,
  `${path}.txt`,
]
