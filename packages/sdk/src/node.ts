import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Client } from './client/client.ts'
import type { Download, DownloadOptions, Source } from './downloads/download.ts'
import type { FileSource } from './uploads/sources.ts'
import type { UploadStore } from './uploads/store.ts'

/**
 * Functions that need a disk: files as sources of uploads, downloads into files, and upload states that survive the
 * process.
 */

/**
 * Returns a file on disk as an upload source. It is opened for each read, so that many sources do not need many open
 * files.
 *
 * @param name name of the upload; by default the last part of the path
 * @throws errors of `fs.stat`
 */
export async function fromPath(path: string, name = basename(path)): Promise<FileSource> {
  const { size, mtimeMs: modified } = await stat(path)
  return { name, size, modified, read: (start, end) => readPart(path, start, end) }
}

async function readPart(path: string, start: number, end: number) {
  const file = await open(path)
  try {
    const bytes = new Uint8Array(end - start)
    let at = 0
    while (at < bytes.length) {
      const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at)
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was sent.`)
      at += bytesRead
    }
    return bytes
  } finally {
    await file.close()
  }
}

/** Creates an upload store that keeps files in a folder, which is created with the first file. */
export function folderStore(folder: string): UploadStore {
  const pathOf = (key: string) =>
    join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)
  return {
    async get(key) {
      return readFile(pathOf(key), 'utf8').catch(ifMissing)
    },
    async set(key, value) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const path = pathOf(key)
      await writeFile(`${path}.new`, value, { mode: 0o600 })
      await rename(`${path}.new`, path) // the rename is atomic
    },
    async delete(key) {
      await rm(pathOf(key), { force: true })
    },
  }
}

function ifMissing(thrown: unknown): undefined {
  if (thrown instanceof Error && Reflect.get(thrown, 'code') === 'ENOENT') return undefined
  throw thrown
}

/**
 * Downloads into a file. An incomplete download is kept beside it as `<path>.<tag>.part`, and a later call resumes it
 * if the file at the service is unchanged. The file itself appears when it is complete.
 *
 * @returns the metadata of the download
 */
export async function saveTo(
  client: Pick<Client, 'download'>,
  source: Source,
  path: string,
  options: DownloadOptions = {},
): Promise<Pick<Download, 'filename' | 'size' | 'type' | 'etag'>> {
  const file = await client.download(source, options)
  const tag = createHash('sha256').update(String(file.etag)).digest('hex').slice(0, 8)
  const part = `${path}.${tag}.part`
  const there = (await stat(part).catch(ifMissing))?.size ?? 0
  const isWhole = file.etag !== null && there === file.size
  if (isWhole) await file.cancel()
  else await append(part, await goOn(client, source, options, { file, there }))
  await rename(part, path)
  await dropParts(path)
  const { filename, size, type, etag } = file
  return { filename, size, type, etag }
}

/** Resumes a partial download; without a usable part it returns the download unchanged. */
async function goOn(
  client: Pick<Client, 'download'>,
  source: Source,
  options: DownloadOptions,
  { file, there }: { file: Download; there: number },
): Promise<Download> {
  const { etag, size } = file
  if (there === 0 || etag === null || (size !== null && there > size)) return file
  await file.cancel()
  return client.download(source, { ...options, from: { offset: there, etag } })
}

/** Deletes partial downloads of the file. */
async function dropParts(path: string): Promise<void> {
  const name = basename(path)
  const isPart = (one: string) =>
    one.startsWith(`${name}.`) && /^[\da-f]{8}\.part$/.test(one.slice(name.length + 1))
  for (const one of (await readdir(dirname(path))).filter(isPart))
    await rm(join(dirname(path), one), { force: true })
}

async function append(path: string, file: Download): Promise<void> {
  const to = await open(path, file.offset > 0 ? 'a' : 'w')
  try {
    for await (const piece of file) await to.appendFile(piece) // `appendFile` writes all bytes; `write` may write fewer
    await to.sync()
  } finally {
    await to.close()
  }
}
