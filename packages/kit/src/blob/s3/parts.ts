import { stepBytes } from '../blob.ts'

/** S3 wants 5 MiB or more, and all but the last of one size. */
export const partBytes = stepBytes
const firstBytes = 64 * 1024

export interface Part {
  bytes: Buffer
  /** There is no other one. */
  isWhole: boolean
  /** None comes after it. */
  isLast: boolean
}

/**
 * Cuts a stream into parts of `partBytes`; the last one has at most as many, and an empty stream is one empty part. Who is
 * done with a part may put it into `spare`, to be filled again: otherwise memory would be what the garbage collector leaves.
 */
export async function* partsOf(
  chunks: AsyncIterable<Uint8Array>,
  spare: Buffer[],
): AsyncGenerator<Part> {
  let part: Buffer = Buffer.allocUnsafe(firstBytes)
  let length = 0
  let isWhole = true
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      if (length === partBytes) {
        isWhole = false
        yield { bytes: part, isWhole, isLast: false }
        part = spare.pop() ?? Buffer.allocUnsafe(partBytes)
        length = 0
      }
      part = withRoom(part, length, chunk.length - at)
      const piece = chunk.subarray(at, at + part.length - length)
      part.set(piece, length)
      length += piece.length
      at += piece.length
    }
  }
  yield { bytes: part.subarray(0, length), isWhole, isLast: true }
}

/** Small objects take little room: a part grows by doubling. */
function withRoom(part: Buffer, used: number, more: number): Buffer {
  const wanted = Math.min(used + more, partBytes)
  if (part.length >= wanted) return part
  const larger = Buffer.allocUnsafe(Math.min(partBytes, Math.max(wanted, 2 * part.length)))
  part.copy(larger, 0, 0, used)
  return larger
}
