import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { untilAborted } from './abort.ts'
import { CannotGoOn, type PutProgress, type Steps, stepBytes } from './blob.ts'
import { partsOf } from './s3/parts.ts'

/** File mode of objects: read and write for the owner only. */
export const ownFile = 0o600

/**
 * Writes a file in steps that outlives its writer. The file is found by its name, so its progress needs no mark.
 * @throws CannotGoOn if the file of the earlier put is missing or too short
 */
export async function writeDraft(
  path: string,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  steps: Steps,
): Promise<Stats> {
  const { from, isDue, onStored, signal } = steps
  signal?.throwIfAborted()
  const file = from ? await takeOver(path, key, from, steps) : await begin(path)
  try {
    const spare: Buffer[] = []
    let size = from?.size ?? 0
    for await (const { bytes } of partsOf(signal ? untilAborted(chunks, signal) : chunks, spare)) {
      await writeAll(file, bytes)
      size += bytes.length
      if (bytes.length < stepBytes) continue
      spare.push(bytes)
      if (!isDue()) continue
      await file.datasync()
      onStored({ size, mark: '' })
    }
    signal?.throwIfAborted()
    await file.sync()
    return await file.stat()
  } finally {
    await file.close()
  }
}

export async function removeDraft(path: string): Promise<void> {
  for (const name of await readdir(dirname(path)))
    if (name.startsWith(basename(path))) await rm(join(dirname(path), name), { force: true })
}

async function begin(path: string): Promise<FileHandle> {
  await rm(path, { force: true })
  return open(path, 'wx', ownFile)
}

/**
 * Replaces the file by a copy of its first `size` bytes. The earlier writer may still be alive; its further bytes go
 * into the replaced file, which no reader opens. At any moment, one of the two files has the name.
 */
async function takeOver(path: string, key: string, { size }: PutProgress, steps: Steps) {
  const former = await open(path).catch(() => undefined)
  if (!former) throw new CannotGoOn(key)
  const copied = `${path}.${randomUUID()}`
  try {
    if ((await former.stat()).size < size) throw new CannotGoOn(key)
    const file = await open(copied, 'wx', ownFile)
    try {
      await copy(former, file, size, steps)
      await file.sync()
      await rename(copied, path)
      return file
    } catch (thrown) {
      await file.close()
      await rm(copied, { force: true })
      throw thrown
    }
  } finally {
    await former.close()
  }
}

async function copy(from: FileHandle, to: FileHandle, size: number, { signal, isDue }: Steps) {
  const room = Buffer.allocUnsafe(Math.min(size, stepBytes))
  for (let at = 0; at < size; ) {
    signal?.throwIfAborted()
    const { bytesRead } = await from.read(room, 0, Math.min(room.length, size - at), at)
    await writeAll(to, room.subarray(0, bytesRead))
    at += bytesRead
    isDue() // called so that a watcher of the put sees progress while the copy runs
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
}
