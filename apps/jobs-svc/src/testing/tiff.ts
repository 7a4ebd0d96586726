/** Storage of a pixel value: its bytes, and its kind in TIFF terms (SampleFormat). */
const samples = {
  uint8: { bytes: 1, format: 1, put: (at: Buffer, value: number) => at.writeUInt8(value) },
  uint16: { bytes: 2, format: 1, put: (at: Buffer, value: number) => at.writeUInt16LE(value) },
  int16: { bytes: 2, format: 2, put: (at: Buffer, value: number) => at.writeInt16LE(value) },
  uint32: { bytes: 4, format: 1, put: (at: Buffer, value: number) => at.writeUInt32LE(value) },
  int32: { bytes: 4, format: 2, put: (at: Buffer, value: number) => at.writeInt32LE(value) },
  float: { bytes: 4, format: 3, put: (at: Buffer, value: number) => at.writeFloatLE(value) },
  /** Values are given as bits. */
  halfFloat: { bytes: 2, format: 3, put: (at: Buffer, value: number) => at.writeUInt16LE(value) },
} as const

export type Sample = keyof typeof samples

export interface TiffPage {
  width: number
  height: number
  sample: Sample
  /** Channels per pixel: 1 grey, 2 grey and alpha, 3 colours, 4 colours and alpha. */
  channels?: number
  /** Values row by row. */
  values: readonly number[]
  /** NewSubfileType: 1 for a thumbnail. */
  subfile?: number
}

const short = 3
const long = 4

/** Creates an uncompressed TIFF of pages. */
export function tiffOf(...pages: readonly TiffPage[]): Buffer {
  const parts: Buffer[] = [Buffer.from('II*\0\x08\0\0\0', 'latin1')]
  let start = 8
  for (const [index, page] of pages.entries()) {
    const part = pageOf(page, start, index === pages.length - 1)
    parts.push(part)
    start += part.length
  }
  return Buffer.concat(parts)
}

/** Creates a directory, the lists to which it refers, and the pixels. */
function pageOf(page: TiffPage, start: number, isLast: boolean): Buffer {
  const { width, height, sample, channels = 1, values, subfile = 0 } = page
  const { bytes, format, put } = samples[sample]
  const hasAlpha = channels % 2 === 0
  const count = 12
  const lists = start + 2 + count * 12 + 4
  const listBytes = channels > 2 ? channels * 4 : 0
  const pixels = Buffer.alloc(width * height * channels * bytes)
  for (const [place, value] of values.entries()) put(pixels.subarray(place * bytes), value)
  const ofEach = (value: number, at: number) => {
    if (channels > 2) return at
    return channels === 2 ? value + value * 65_536 : value
  }
  const tags: [tag: number, type: number, count: number, value: number][] = [
    [254, long, 1, subfile],
    [256, long, 1, width],
    [257, long, 1, height],
    [258, short, channels, ofEach(bytes * 8, lists)],
    [259, short, 1, 1],
    [262, short, 1, channels > 2 ? 2 : 1],
    [273, long, 1, lists + listBytes],
    [277, short, 1, channels],
    [278, long, 1, height],
    [279, long, 1, pixels.length],
    [338, short, hasAlpha ? 1 : 0, 2],
    [339, short, channels, ofEach(format, lists + channels * 2)],
  ]
  const head = Buffer.alloc(2 + tags.length * 12 + 4 + listBytes)
  head.writeUInt16LE(tags.length)
  for (const [entry, [tag, type, many, value]] of tags.entries()) {
    const at = 2 + entry * 12
    head.writeUInt16LE(tag, at)
    head.writeUInt16LE(type, at + 2)
    head.writeUInt32LE(many, at + 4)
    head.writeUInt32LE(value, at + 8)
  }
  const end = start + head.length + pixels.length
  head.writeUInt32LE(isLast ? 0 : end, 2 + tags.length * 12)
  for (let channel = 0; channel < channels && channels > 2; channel += 1) {
    head.writeUInt16LE(bytes * 8, head.length - listBytes + channel * 2)
    head.writeUInt16LE(format, head.length - listBytes + (channels + channel) * 2)
  }
  return Buffer.concat([head, pixels])
}
