import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { FileSource } from '@reticle/sdk'
import { fromPath } from '@reticle/sdk/node'
import { Failure, usageFailure } from '../failures/failure.ts'
import { filesBelow, nameBelow } from '../files/files-below.ts'

/** Files to send, and the ignored files of folders. */
export interface GatheredFiles {
  files: FileSource[]
  ignored: string[]
}

/** File names that are taken from folders; a file that is named explicitly is always sent. */
const media = /\.(avif|bmp|gif|jfif|jpe?g|jsonl|png|tiff?|webp)$/i

/**
 * Collects the named files and the images in named folders. The names of files in a single folder are relative to it;
 * with several folders each name includes its folder.
 *
 * @throws Failure for a folder without images, and for two files with the same name
 */
export async function gatherFiles(
  paths: readonly string[],
  onProgress: (count: number) => void,
): Promise<GatheredFiles> {
  const found: { path: string; name: string }[] = []
  const ignored: string[] = []
  for (const path of paths) {
    if (!(await stat(path)).isDirectory()) {
      found.push({ path, name: basename(path) })
      continue
    }
    const root = paths.length === 1 ? path : resolve(path, '..')
    for await (const file of filesBelow(path)) {
      if (media.test(file)) found.push({ path: file, name: nameBelow(root, file) })
      else ignored.push(nameBelow(root, file))
      onProgress(found.length)
    }
  }
  if (found.length === 0)
    throw new Failure(`There are no pictures in ${paths.join(', ')}`, {
      hint: 'Name a video, an archive or a PDF itself, not its folder.',
    })
  found.sort((one, other) => (one.name < other.name ? -1 : 1))
  assertDistinct(found)
  const files: FileSource[] = []
  for (const { path, name } of found) files.push(await fromPath(path, name))
  return { files, ignored }
}

function assertDistinct(found: readonly { path: string; name: string }[]): void {
  const known = new Map<string, string>()
  for (const { path, name } of found) {
    const other = known.get(name)
    if (other !== undefined)
      throw usageFailure(
        `${other} and ${path} would both be called ${name}`,
        'Give the folder above them, so that they keep their folders.',
      )
    known.set(name, path)
  }
}

/** Returns a value that identifies a set of files by names, sizes and times. */
export const filesMark = (files: readonly FileSource[]) =>
  files.map(({ name, size, modified }) => [name, size, modified])
