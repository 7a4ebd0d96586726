import { crc32 } from 'node:zlib'

/** Bytes, and when they have passed the checksum that clients know them by: CRC-32, decimal (`spec/api-workspace.md` 4.7). */
export function summed(bytes: AsyncIterable<Uint8Array>): {
  bytes: AsyncIterable<Uint8Array>
  checksum: () => string
} {
  let sum = 0
  async function* passing() {
    for await (const piece of bytes) {
      sum = crc32(piece, sum)
      yield piece
    }
  }
  return { bytes: passing(), checksum: () => String(sum) }
}
