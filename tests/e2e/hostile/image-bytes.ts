import { crc32, deflateSync } from 'node:zlib'

/** A chunk of a PNG. Images are written by hand so that any field can be false. */

interface Chunk {
  type: string
  content: Uint8Array
}

/** Writes a PNG of these chunks. */
export function pngOf(...chunks: Chunk[]): Buffer {
  const written = chunks.map(({ type, content }) => {
    const named = Buffer.concat([Buffer.from(type, 'latin1'), content])
    return Buffer.concat([be32(content.length), named, be32(crc32(named))])
  })
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...written])
}

/** Builds a header with eight bits a channel, in RGB or grey. */
export const ihdr = (width: number, height: number, isGrey = false): Chunk => ({
  type: 'IHDR',
  content: Buffer.concat([be32(width), be32(height), Buffer.of(8, isGrey ? 0 : 2, 0, 0, 0)]),
})

export const idat = (pixels: Uint8Array): Chunk => ({ type: 'IDAT', content: deflateSync(pixels) })
export const iend: Chunk = { type: 'IEND', content: Buffer.alloc(0) }

/** Builds a compressed text or colour profile. */
export const packedChunk = (type: 'zTXt' | 'iCCP', bytes: Uint8Array): Chunk => ({
  type,
  content: Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(bytes)]),
})

/** Uncompressed grey pixels of a PNG, where each row begins with its filter byte. */
export const greyRows = (width: number, height: number): Buffer =>
  Buffer.alloc((width + 1) * height)

function be32(...values: number[]): Buffer {
  const written = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) written.writeUInt32BE(value, 4 * index)
  return written
}

interface Tiff {
  width: number
  height: number
  /** Declared length of the pixel data in bytes. */
  length?: number
  /** Declared compression: 1 is none, 8 is deflate. */
  packing?: 1 | 8
  /** Content after the first list of tags, and the address of the next list. */
  next?: (at: number) => { offset: number; bytes?: Uint8Array }
}

const tiffHead = 8

/** Writes a grey TIFF whose pixels follow its tags. */
export function tiffOf({ width, height, packing = 1, ...given }: Tiff): Buffer {
  const { length = width * height, next } = given
  const count = 9
  const end = tiffHead + 2 + 12 * count + 4
  const behind = next?.(end + length)
  const tags = [
    [256, width],
    [257, height],
    [258, 8],
    [259, packing],
    [262, 1],
    [273, end],
    [277, 1],
    [278, height],
    [279, length],
  ] as const
  const pixels = Buffer.alloc(length, 0x80)
  const list = tagsOf(tags, behind?.offset ?? 0)
  return Buffer.concat([Buffer.from('II*\0\x08\0\0\0', 'latin1'), list, pixels, ...rest(behind)])
}

const rest = (behind: { bytes?: Uint8Array } | undefined) => (behind?.bytes ? [behind.bytes] : [])

/** Writes a list of tags and the address of the next list. */
function tagsOf(tags: readonly (readonly [tag: number, value: number])[], next: number): Buffer {
  const written = Buffer.alloc(2 + 12 * tags.length + 4)
  written.writeUInt16LE(tags.length, 0)
  for (const [index, [tag, value]] of tags.entries()) {
    const at = 2 + 12 * index
    written.writeUInt16LE(tag, at)
    written.writeUInt16LE(4, at + 2) // type LONG, 32 bits
    written.writeUInt32LE(1, at + 4)
    written.writeUInt32LE(value, at + 8)
  }
  written.writeUInt32LE(next, written.length - 4)
  return written
}

/** Writes a chain of empty pages that starts at `at`. */
export function writeTiffPages(at: number, count: number): Buffer {
  const size = 2 + 12 + 4
  const all = Buffer.alloc(size * count)
  for (let page = 0; page < count; page += 1)
    tagsOf([[256, 1]], page === count - 1 ? 0 : at + size * (page + 1)).copy(all, size * page)
  return all
}

/** Writes a GIF of one image; `claims` are the sides of its screen. */
export function gifOf(width: number, height: number, claims = [width, height]): Buffer {
  const sides = (all: number[]) =>
    Buffer.concat(all.map((side) => Buffer.of(side & 0xff, (side >> 8) & 0xff)))
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    sides(claims),
    Buffer.of(0x80, 0, 0, 0, 0, 0, 255, 255, 255),
    Buffer.of(0x2c, 0, 0, 0, 0),
    sides([width, height]),
    Buffer.of(0, 2, 2, 0x4c, 0x01, 0, 0x3b),
  ])
}

/** Changes the sides in the header of an image. */
export const claiming = {
  jpeg: (bytes: Buffer, width: number, height: number): Buffer => {
    const changed = Buffer.from(bytes)
    const at = changed.indexOf(Buffer.of(0xff, 0xc0))
    changed.writeUInt16BE(height, at + 5)
    changed.writeUInt16BE(width, at + 7)
    return changed
  },
  /** for the lossy format (VP8) */
  webp: (bytes: Buffer, width: number, height: number): Buffer => {
    const changed = Buffer.from(bytes)
    const at = changed.indexOf(Buffer.of(0x9d, 0x01, 0x2a))
    changed.writeUInt16LE(width, at + 3)
    changed.writeUInt16LE(height, at + 5)
    return changed
  },
  avif: (bytes: Buffer, width: number, height: number): Buffer => {
    const changed = Buffer.from(bytes)
    const at = changed.indexOf('ispe')
    changed.writeUInt32BE(width, at + 8)
    changed.writeUInt32BE(height, at + 12)
    return changed
  },
}
