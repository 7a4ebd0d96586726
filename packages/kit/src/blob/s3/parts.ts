import { stepBytes } from '../blob.ts'

/** Part size in bytes. S3 requires 5 MiB or more, and one size for all parts but the last. */
export const partBytes = stepBytes
const firstBytes = 64 * 1024

export interface UploadPart {
  bytes: Buffer
  /** True if it is the only part. */
  isWhole: boolean
  /** True if no part follows. */
  isLast: boolean
}

/**
 * Splits a stream into parts of `partBytes`. The last part may be shorter, and an empty
 * stream is one empty part. The caller may return a finished buffer through `spare` for
 * reuse; otherwise memory grows until the garbage collector frees it.
 */
export async function* partsOf(
  chunks: AsyncIterable<Uint8Array>,
  spare: Buffer[],
): AsyncGenerator<UploadPart> {
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

/** Grows the buffer by doubling, so that small objects use little memory. */
function withRoom(part: Buffer, used: number, more: number): Buffer {
  const wanted = Math.min(used + more, partBytes)
  if (part.length >= wanted) return part
  const larger = Buffer.allocUnsafe(Math.min(partBytes, Math.max(wanted, 2 * part.length)))
  part.copy(larger, 0, 0, used)
  return larger
}
