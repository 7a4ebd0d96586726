import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Client } from './client.ts'
import type { Download, DownloadOptions, Source } from './downloads/download.ts'
import type { FileSource } from './uploads/sources.ts'
import type { UploadStore } from './uploads/store.ts'

/** What needs a disk: files as sources of uploads, files of downloads, and notes of both that outlive the process. */

/**
 * A file on disk. It is opened for each read, so that ten thousand of them are no ten thousand open files.
 *
 * @param name as which it is sent; the last part of its path
 * @throws what `fs.stat` throws
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

/** Notes of uploads as files of a folder, which is made when the first is written. */
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
      await rename(`${path}.new`, path) // whole, or not at all
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
 * Downloads into a file. What was fetched stays beside it in `<path>.<tag>.part` when it breaks off, and a later call goes on
 * with it, unless the file at the service is another one by then. The file itself appears when it is whole.
 *
 * @returns what was downloaded, as `client.download` tells it
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

/** The same file from where it was left; as it is, where nothing of it is there. */
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

/** What was fetched of files that are no more. */
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
    for await (const piece of file) await to.appendFile(piece) // all of it; `write` may take less
    await to.sync()
  } finally {
    await to.close()
  }
}
