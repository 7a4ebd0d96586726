import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readTar, type TarFile, tarEnd, tarHeader, tarPadding } from './tar.ts'

export type { TarFile }

/** Writer of a backup: one tar file, or a folder with the same members as files. */
export interface ArchiveWriter {
  /** @throws Error if the chunks do not have exactly `size` bytes */
  add: (name: string, size: number, chunks: AsyncIterable<Uint8Array> | [Buffer]) => Promise<void>
  /** Flushes everything to the disk and gives the archive its final name. */
  close: () => Promise<void>
  /** Removes the unfinished archive. */
  discard: () => Promise<void>
}

const isTar = (path: string) => path.endsWith('.tar')

/**
 * Creates a tar file if `path` ends with `.tar`, otherwise a folder. It is written as `<path>.partial` until it is
 * complete, and only its owner can read it.
 * @throws Error with a message for the operator if `path` exists
 */
export async function createArchive(path: string): Promise<ArchiveWriter> {
  if (await stat(path).catch(() => undefined)) {
    throw new Error(`${path} is there already: name a new file or folder`)
  }
  const draft = `${path}.partial`
  await rm(draft, { recursive: true, force: true })
  await mkdir(dirname(path), { recursive: true })
  const writer = isTar(path) ? await tarWriter(draft) : await folderWriter(draft)
  return {
    ...writer,
    close: async () => {
      await writer.close()
      await rename(draft, path)
    },
    discard: async () => {
      await writer.close().catch(() => undefined)
      await rm(draft, { recursive: true, force: true })
    },
  }
}

type Writer = Pick<ArchiveWriter, 'add' | 'close'>

async function tarWriter(path: string): Promise<Writer> {
  const file = await open(path, 'wx', 0o600)
  let isOpen = true
  return {
    add: async (name, size, chunks) => {
      await file.writeFile(tarHeader(name, size))
      await writeExactly(file, { name, size }, chunks)
      await file.writeFile(tarPadding(size))
    },
    close: async () => {
      if (!isOpen) return
      isOpen = false
      await file.writeFile(tarEnd)
      await finish(file)
    },
  }
}

async function folderWriter(path: string): Promise<Writer> {
  await mkdir(path, { mode: 0o700 })
  return {
    add: async (name, size, chunks) => {
      const target = join(path, name)
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      const file = await open(target, 'wx', 0o600)
      try {
        await writeExactly(file, { name, size }, chunks)
        await file.sync()
      } finally {
        await file.close()
      }
    },
    close: async () => undefined,
  }
}

async function finish(file: FileHandle): Promise<void> {
  await file.sync()
  await file.close()
}

async function writeExactly(
  file: FileHandle,
  { name, size }: { name: string; size: number },
  chunks: AsyncIterable<Uint8Array> | [Buffer],
): Promise<void> {
  let written = 0
  for await (const chunk of chunks) {
    await file.writeFile(chunk)
    written += chunk.length
  }
  if (written !== size) throw new Error(`${name} has ${written} bytes instead of ${size}`)
}

/**
 * Reads the members of an archive; each must be read before the next. The members of a folder are ordered by `first`,
 * the names of its top-level files and folders; those of a tar are in the order in which they were written.
 * @throws Error with a message for the operator if the archive is missing or damaged
 */
export async function* readArchive(
  path: string,
  first: readonly string[],
): AsyncGenerator<TarFile> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw new Error(`there is no ${path}: name the file or folder of a backup`)
  if (!found.isDirectory()) {
    yield* readTar(createReadStream(path, { highWaterMark: 1 << 20 }))
    return
  }
  for (const name of first) yield* walk(path, name)
}

async function* walk(root: string, name: string): AsyncGenerator<TarFile> {
  const path = join(root, name)
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile()) yield { name, size: found.size, chunks: createReadStream(path) }
  if (!found?.isDirectory()) return
  for (const entry of (await readdir(path)).sort()) yield* walk(root, `${name}/${entry}`)
}
