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

/** Reads that follow one another closely before it is believed that more will. */
const inARow = 3

/**
 * Where reads follow one another closely it reads whole blocks and keeps the last one, so that many small reads become one:
 * on an object store each read is a round trip. Reads that jump about get just what they ask for.
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
        const bytes = source.read(start, stop) // others who want of it wait for the same
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

/** The source from `start` to `end` in pieces; while one is worked on the next is read. */
export async function* readPieces(
  source: RandomAccess,
  start = 0,
  end = source.size,
  pieceBytes = 262_144,
): AsyncGenerator<Uint8Array> {
  const readFrom = (from: number): Promise<Uint8Array> => {
    const piece = source.read(from, Math.min(end, from + pieceBytes))
    piece.catch(() => undefined) // told to whoever takes it; nobody may
    return piece
  }
  let next = start < end ? readFrom(start) : undefined
  for (let at = start; next; at += pieceBytes) {
    const piece = await next
    next = at + pieceBytes < end ? readFrom(at + pieceBytes) : undefined
    yield piece
  }
}
