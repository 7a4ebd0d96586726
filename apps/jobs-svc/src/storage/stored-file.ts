import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { RandomAccess } from '@reticle/formats/archive/source'
import { DomainError, unavailable } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { locateRange, type SpreadRange } from '@reticle/kit/blob/spread'

/**
 * Opens bytes `start` up to `end` of a completely uploaded file, which may consist of several objects. An incomplete
 * object is not the user's fault and may be a transient error of the store. The first object is opened at once, the
 * others when they are reached.
 *
 * @throws DomainError `not_found`; `unavailable` for an object that ends before `end`
 */
export async function openPart(
  blobs: Pick<BlobStore, 'get'>,
  key: string,
  range: { start: number; end: number },
): Promise<AsyncIterable<Uint8Array>> {
  const [first, ...others] = locateRange(key, range)
  if (!first) return nothing()
  const pieces = await openPlaceOf(blobs, first)
  return others.length === 0 ? pieces : inTurn(blobs, pieces, others)
}

async function* inTurn(
  blobs: Pick<BlobStore, 'get'>,
  first: AsyncIterable<Uint8Array>,
  others: readonly SpreadRange[],
): AsyncGenerator<Uint8Array> {
  yield* first
  for (const place of others) yield* await openPlaceOf(blobs, place)
}

async function openPlaceOf(blobs: Pick<BlobStore, 'get'>, { key, start, end }: SpreadRange) {
  const { size, chunks } = await blobs.get(key, { start, end: end - 1 }).catch(unlessBeyond)
  if (size < end) throw notWhole()
  return chunks
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function unlessBeyond(thrown: unknown): never {
  throw thrown instanceof DomainError && thrown.kind === 'invalid' ? notWhole() : thrown
}

const notWhole = () => unavailable('The object storage has not all of a stored file.')

/** Opens a stored object for random access by ranges. */
export function blobSource(
  blobs: Pick<BlobStore, 'get'>,
  { key, size, name }: { key: string; size: number; name?: string },
): RandomAccess {
  return {
    size,
    ...(name !== undefined && { name }),
    read: async (start, end) => {
      if (end <= start) return new Uint8Array()
      return gatherBytes(await openPart(blobs, key, { start, end }))
    },
  }
}

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

/** Reads the first `most` bytes into one buffer (fewer if there are fewer); the rest is not read. */
export async function gatherBytes(
  pieces: AsyncIterable<Uint8Array>,
  most = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const gathered: Uint8Array[] = []
  let size = 0
  for await (const piece of pieces) {
    gathered.push(piece)
    size += piece.length
    if (size >= most) break
  }
  return Buffer.concat(gathered).subarray(0, most)
}
