/** Tags of TIFF that distinguish a raw picture of a camera from others (TIFF 6.0, DNG 1.7). */
const tags = {
  subfile: 0x00fe,
  compression: 0x0103,
  photometric: 0x0106,
  subIfds: 0x014a,
  dngVersion: 0xc612,
}

/** Of Sony, Nikon, Pentax, Epson, Kodak, and lossy DNG. */
const rawCompressions = [262, 32_767, 32_769, 34_713, 34_892, 65_000, 65_535]
/** Values behind a filter of colours, and linear ones. */
const rawPhotometrics = [32_803, 34_892]

/**
 * Whether a TIFF is a raw picture of a camera. Decoders would show the thumbnail that such a file begins with.
 *
 * @param head the first bytes of the file; tags behind them are not seen
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

/** Values of the first directory, as far as it is in the head; of lists and texts where they are. */
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
