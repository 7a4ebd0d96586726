/** CRC-32C (Castagnoli), the checksum of TFRecord files. */

const polynomial = 0x82f63b78

/**
 * Eight consecutive tables ("slicing by 8"), which process eight bytes at a time: entry `n` of table `k` is the
 * effect of byte `n` on the checksum when `k` zero bytes follow it.
 */
const tables = new Uint32Array(8 * 256)
for (let byte = 0; byte < 256; byte += 1) {
  let crc = byte
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0)
  tables[byte] = crc
}
for (let at = 256; at < tables.length; at += 1) {
  const before = tables[at - 256] ?? 0
  tables[at] = (before >>> 8) ^ (tables[before & 255] ?? 0)
}

/**
 * Computes the checksum.
 * @param before Checksum of the preceding bytes, which is continued.
 */
export function crc32c(bytes: Uint8Array, before = 0): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const ofEights = bytes.length - (bytes.length % 8)
  let crc = ~before
  for (let at = 0; at < ofEights; at += 8) {
    const low = crc ^ view.getInt32(at, true)
    const high = view.getInt32(at + 4, true)
    crc =
      entry(7, low) ^
      entry(6, low >>> 8) ^
      entry(5, low >>> 16) ^
      entry(4, low >>> 24) ^
      entry(3, high) ^
      entry(2, high >>> 8) ^
      entry(1, high >>> 16) ^
      entry(0, high >>> 24)
  }
  for (let at = ofEights; at < bytes.length; at += 1)
    crc = (crc >>> 8) ^ entry(0, crc ^ view.getUint8(at))
  return ~crc >>> 0
}

const entry = (table: number, byte: number): number => tables[(table << 8) | (byte & 255)] ?? 0

/**
 * Masks a checksum as in files: it is rotated and offset, so that data with embedded checksums is safe to checksum
 * again.
 */
export function maskChecksum(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}
