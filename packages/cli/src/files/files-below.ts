import { opendir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** Yields the paths of the files below a folder, without hidden ones. */
export async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folder)) {
    if (entry.name.startsWith('.') || entry.name === '__MACOSX') continue
    const path = join(folder, entry.name)
    const kind = entry.isSymbolicLink() ? await stat(path) : entry
    if (kind.isDirectory()) yield* filesBelow(path)
    else if (kind.isFile()) yield path
  }
}

/** Returns the path of a file relative to a folder, with `/` as separator. */
export const nameBelow = (folder: string, path: string): string =>
  relative(folder, path).split(sep).join('/')
