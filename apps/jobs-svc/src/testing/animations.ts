import { crc32 } from 'node:zlib'

/** Creates files with several pictures that the image library cannot write. */

function pngChunk(kind: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Bytes before the first chunk after IHDR. */
const headBytes = 33

/** Creates a PNG whose frames repeat its pixels. */
export function apngOf(png: Buffer, frames: number): Buffer {
  const start = png.indexOf('IDAT') - 4
  const length = png.readUInt32BE(start)
  const pixels = png.subarray(start + 8, start + 8 + length)
  let sequence = 0
  const control = () => {
    const data = Buffer.alloc(26)
    data.writeUInt32BE(sequence)
    png.copy(data, 4, 16, 24)
    data.writeUInt16BE(1, 20)
    data.writeUInt16BE(10, 22)
    sequence += 1
    return pngChunk('fcTL', data)
  }
  const animation = Buffer.alloc(8)
  animation.writeUInt32BE(frames)
  const parts = [png.subarray(0, headBytes), pngChunk('acTL', animation), control()]
  parts.push(png.subarray(headBytes, start + 12 + length))
  for (let frame = 1; frame < frames; frame += 1) {
    parts.push(control())
    const number = Buffer.alloc(4)
    number.writeUInt32BE(sequence)
    sequence += 1
    parts.push(pngChunk('fdAT', Buffer.concat([number, pixels])))
  }
  return Buffer.concat([...parts, png.subarray(start + 12 + length)])
}

function box(kind: string, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.write(kind, 4, 'latin1')
  return Buffer.concat([head, body])
}

/** Creates the boxes of an AVIF sequence with a track of that many pictures, without pixels. */
export function avifSequence(pictures: number): Buffer {
  const sizes = Buffer.alloc(12)
  sizes.writeUInt32BE(pictures, 8)
  const table = box('stbl', box('stsd', Buffer.alloc(8)), box('stsz', sizes))
  const track = box('trak', box('tkhd', Buffer.alloc(84)), box('mdia', box('minf', table)))
  return Buffer.concat([
    box('ftyp', Buffer.from('avis\0\0\0\0avisavifmif1', 'latin1')),
    box('meta', Buffer.alloc(20)),
    box('moov', box('mvhd', Buffer.alloc(100)), track),
  ])
}

/** Creates a BigTIFF of pages with one black pixel. */
export function bigTiffOf(pages: number): Buffer {
  const head = Buffer.from('II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0', 'latin1')
  const parts = [head]
  const tags = [
    [256, 1],
    [257, 1],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, 0],
    [277, 1],
    [278, 1],
    [279, 1],
  ] as const
  const length = 8 + tags.length * 20 + 8 + 8
  for (let page = 0; page < pages; page += 1) {
    const start = head.length + page * length
    const bytes = Buffer.alloc(length)
    bytes.writeBigUInt64LE(BigInt(tags.length))
    for (const [entry, [tag, value]] of tags.entries()) {
      const at = 8 + entry * 20
      bytes.writeUInt16LE(tag, at)
      bytes.writeUInt16LE(4, at + 2)
      bytes.writeBigUInt64LE(1n, at + 4)
      bytes.writeUInt32LE(tag === 273 ? start + length - 8 : value, at + 12)
    }
    const next = page === pages - 1 ? 0 : start + length
    bytes.writeBigUInt64LE(BigInt(next), 8 + tags.length * 20)
    parts.push(bytes)
  }
  return Buffer.concat(parts)
}
