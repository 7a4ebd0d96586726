import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { openPart } from './stored-part.ts'

/**
 * Writes a stored file to the local disk, for programs that read local files only. Only this account may read it.
 *
 * @throws DomainError as `openPart` does; a partial file then stays
 */
export async function copyToDisk(
  blobs: Pick<BlobStore, 'get'>,
  { key, size }: { key: string; size: number },
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const pieces = size === 0 ? [] : await openPart(blobs, key, { start: 0, end: size })
  await pipeline(pieces, createWriteStream(path, { mode: 0o600 }), { signal })
}
