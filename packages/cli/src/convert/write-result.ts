import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type ArchiveFile, writeZip } from '@reticle/formats/archive/zip-writer'
import { Failure } from '../failures/failure.ts'

type Write = (files: AsyncIterable<ArchiveFile>) => Promise<void>

/**
 * Returns a writer of the result: an archive, or separate files if `path` ends with `/` or is a folder. An archive
 * appears only when it is complete.
 *
 * @throws Failure if `path` is a file or a folder that is not empty, and `force` is not set
 */
export async function writerTo(
  path: string,
  { force, now, signal }: { force: boolean; now: Date; signal: AbortSignal },
): Promise<Write> {
  const there = await stat(path).catch(() => undefined)
  const isFolder = there?.isDirectory() ?? /[/\\]$/.test(path)
  const isTaken = isFolder ? there && (await readdir(path)).length > 0 : there
  if (isTaken && !force)
    throw new Failure(`${path} is there already`, {
      ending: 'refused',
      code: 'exists',
      hint: 'Choose another name, or replace it with --force.',
    })
  return isFolder ? (files) => writeFolder(path, files, signal) : writeArchive(path, now, signal)
}

function writeArchive(path: string, now: Date, signal: AbortSignal): Write {
  return async (files) => {
    const part = `${path}.part`
    await mkdir(dirname(path), { recursive: true })
    try {
      await pipeline(Readable.from(writeZip(files, now)), createWriteStream(part), { signal })
      await rename(part, path)
    } catch (thrown) {
      await rm(part, { force: true })
      throw thrown
    }
  }
}

async function writeFolder(
  folder: string,
  files: AsyncIterable<ArchiveFile>,
  signal: AbortSignal,
): Promise<void> {
  const root = resolve(folder)
  for await (const { path, content } of files) {
    const target = resolve(join(root, path))
    if (!target.startsWith(root + sep))
      throw new Failure(`${path} would be written outside of ${folder}`)
    await mkdir(dirname(target), { recursive: true })
    const isWhole = typeof content === 'string' || content instanceof Uint8Array
    await pipeline(Readable.from(isWhole ? [content] : content), createWriteStream(target), {
      signal,
    })
  }
}
