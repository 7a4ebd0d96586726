/** Bytes that can be read from any place: a file, or an object read by ranges. */
export interface RandomAccess {
  size: number
  /** What its sender calls it: for messages. */
  name?: string
  /** The bytes from `start` up to but not including `end`; both lie within the size. */
  read(start: number, end: number): Promise<Uint8Array>
}

/** A source over bytes in memory. */
export function sourceOf(bytes: Uint8Array): RandomAccess {
  return { size: bytes.length, read: async (start, end) => bytes.subarray(start, end) }
}

/**
 * Reads whole blocks and keeps the last one, so that many small reads next to each other become one:
 * on an object store each read is a round trip.
 */
export function readAhead(source: RandomAccess, blockBytes = 1_048_576): RandomAccess {
  let block = { start: 0, bytes: new Uint8Array(0) }
  return {
    ...source,
    async read(start, end) {
      const from = start - block.start
      const to = end - block.start
      if (from >= 0 && to <= block.bytes.length) return block.bytes.subarray(from, to)
      if (end - start >= blockBytes) return source.read(start, end)
      const bytes = await source.read(start, Math.min(source.size, start + blockBytes))
      block = { start, bytes: new Uint8Array(bytes) }
      return block.bytes.subarray(0, end - start)
    },
  }
}

/** The whole source from `start` to `end` in pieces. */
export async function* readPieces(
  source: RandomAccess,
  start = 0,
  end = source.size,
  pieceBytes = 262_144,
): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += pieceBytes) {
    yield await source.read(at, Math.min(end, at + pieceBytes))
  }
}
