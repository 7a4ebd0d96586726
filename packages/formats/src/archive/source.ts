/** Bytes with random access: a file, or an object that is read by ranges. */
export interface RandomAccess {
  size: number
  /** Name given by the uploader, for messages. */
  name?: string
  /** Reads the bytes from `start` up to but not including `end`; both must be within the size. */
  read(start: number, end: number): Promise<Uint8Array>
}

/** Returns a source over bytes in memory. */
export function sourceOf(bytes: Uint8Array): RandomAccess {
  return { size: bytes.length, read: async (start, end) => bytes.subarray(start, end) }
}

/** Number of consecutive close reads after which reading is treated as sequential. */
const inARow = 3

/**
 * Returns a source that reads whole blocks for sequential reads and keeps the last block, so that many small reads
 * become one: on an object store each read is a round trip. Scattered reads fetch only the requested bytes.
 */
export function readAhead(source: RandomAccess, blockBytes = 1_048_576): RandomAccess {
  const none = { start: 0, end: 0, bytes: Promise.resolve(new Uint8Array()) }
  let block: { start: number; end: number; bytes: Promise<Uint8Array> } = none
  let last = 0
  let run = inARow
  return {
    ...source,
    async read(start, end) {
      run = Math.abs(start - last) < blockBytes ? run + 1 : 0
      last = end
      const isInBlock = start >= block.start && end <= block.end
      if (!isInBlock && (run < inARow || end - start >= blockBytes)) return source.read(start, end)
      if (!isInBlock) {
        const stop = Math.min(source.size, start + blockBytes)
        const bytes = source.read(start, stop) // concurrent readers of this block share the promise
        block = { start, end: stop, bytes }
        bytes.catch(() => {
          if (block.bytes === bytes) block = none
        })
      }
      const { start: from, bytes } = block
      return (await bytes).subarray(start - from, end - from)
    },
  }
}

/** Yields the source from `start` to `end` in pieces and prefetches the next piece while one is processed. */
export async function* readPieces(
  source: RandomAccess,
  start = 0,
  end = source.size,
  pieceBytes = 262_144,
): AsyncGenerator<Uint8Array> {
  const readFrom = (from: number): Promise<Uint8Array> => {
    const piece = source.read(from, Math.min(end, from + pieceBytes))
    piece.catch(() => undefined) // avoids an unhandled rejection; the error still reaches the consumer of the piece
    return piece
  }
  let next = start < end ? readFrom(start) : undefined
  for (let at = start; next; at += pieceBytes) {
    const piece = await next
    next = at + pieceBytes < end ? readFrom(at + pieceBytes) : undefined
    yield piece
  }
}
