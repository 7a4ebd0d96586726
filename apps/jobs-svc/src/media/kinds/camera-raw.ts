/** TIFF tags that distinguish a raw camera picture from others (TIFF 6.0, DNG 1.7). */
const tags = {
  subfile: 0x00fe,
  compression: 0x0103,
  photometric: 0x0106,
  subIfds: 0x014a,
  dngVersion: 0xc612,
}

/** Compressions of Sony, Nikon, Pentax, Epson, Kodak, and lossy DNG. */
const rawCompressions = [262, 32_767, 32_769, 34_713, 34_892, 65_000, 65_535]
/** Values of a colour filter array, and linear ones. */
const rawPhotometrics = [32_803, 34_892]

/**
 * Returns whether a TIFF is a raw camera picture. Decoders would show only its embedded thumbnail.
 *
 * @param head the first bytes of the file; later tags are not read
 */
export function isCameraRaw(head: Uint8Array): boolean {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const little = head[0] === 0x49
  if (head.length < 16 || view.getUint16(2, little) !== 42) return false
  if (head[8] === 0x43 && head[9] === 0x52) return true // CR2
  if ([8, 9, 10, 11].every((at) => head[at] === 0x49)) return true // IIQ
  const found = firstTags(view, little)
  const isThumbnail = ((found.get(tags.subfile) ?? 0) & 1) === 1
  return (
    found.has(tags.dngVersion) ||
    (isThumbnail && found.has(tags.subIfds)) ||
    rawCompressions.includes(found.get(tags.compression) ?? 0) ||
    rawPhotometrics.includes(found.get(tags.photometric) ?? 0)
  )
}

/** Reads the numeric values of the first directory within the head; for lists and texts, their offsets. */
function firstTags(view: DataView, little: boolean): Map<number, number> {
  const found = new Map<number, number>()
  const start = view.getUint32(4, little)
  if (start + 2 > view.byteLength) return found
  const count = view.getUint16(start, little)
  for (let entry = 0; entry < count; entry += 1) {
    const at = start + 2 + entry * 12
    if (at + 12 > view.byteLength) break
    const isShort = view.getUint16(at + 2, little) === 3
    const value = isShort ? view.getUint16(at + 8, little) : view.getUint32(at + 8, little)
    found.set(view.getUint16(at, little), value)
  }
  return found
}
