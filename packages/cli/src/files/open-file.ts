import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { RandomAccess } from '@reticle/formats/archive/source'

export interface OpenFile extends RandomAccess {
  close(): Promise<void>
}

/** Opens a file for reads at any position. */
export async function openFile(path: string): Promise<OpenFile> {
  const handle = await open(path)
  const { size } = await handle.stat()
  return {
    size,
    name: basename(path),
    async read(start, end) {
      const bytes = Buffer.alloc(end - start)
      for (let at = 0; at < bytes.length; ) {
        const { bytesRead } = await handle.read(bytes, at, bytes.length - at, start + at)
        if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`)
        at += bytesRead
      }
      return bytes
    },
    close: () => handle.close(),
  }
}

/** Returns a file that is open only while it is read, because there may be many of them. */
export async function closedFile(
  path: string,
  name: string,
): Promise<RandomAccess & { name: string }> {
  const { size } = await stat(path)
  return {
    name,
    size,
    async read(start, end) {
      const file = await openFile(path)
      try {
        return await file.read(start, end)
      } finally {
        await file.close()
      }
    },
  }
}
