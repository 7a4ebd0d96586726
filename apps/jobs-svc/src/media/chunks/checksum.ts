import { crc32 } from 'node:zlib'

/** Passes bytes through and computes the checksum that clients verify: CRC-32 as a decimal number. */
export function withChecksum(bytes: AsyncIterable<Uint8Array>): {
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
