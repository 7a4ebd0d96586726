import { crc32, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../report/errors.ts'
import { type Png, readPng, writeGrey16Png, writePalettePng, writeRgbPng } from './png.ts'

const location = { file: 'a.png' }

describe('reading a PNG', () => {
  const kinds = [
    ...[1, 2, 4, 8, 16].map((depth) => ({ color: 0, depth })),
    ...[1, 2, 4, 8].map((depth) => ({ color: 3, depth })),
    ...[2, 4, 6].flatMap((color) => [8, 16].map((depth) => ({ color, depth }))),
  ].flatMap((kind) => [false, true].map((isInterlaced) => ({ ...kind, isInterlaced })))

  test.each(kinds)(
    'type $color of $depth bits, interlaced $isInterlaced, equals the reference decoder',
    async (kind) => {
      const sizes = fc.record({
        width: fc.integer({ min: 1, max: 20 }),
        height: fc.integer({ min: 1, max: 12 }),
      })
      const seeds = fc.infiniteStream(fc.integer({ min: 0, max: 255 }))
      await fc.assert(
        fc.asyncProperty(sizes, seeds, async (size, random) => {
          const bytes = pngOf({ ...kind, ...size }, random)
          const png = await readPng(bytes, location)
          expect(png).toMatchObject(size)
          expect(Buffer.from(colorsOf(png, kind.depth))).toEqual(await decoded(bytes))
        }),
        { numRuns: 20 },
      )
    },
  )

  test('grey of 16 bits keeps its full depth', async () => {
    const bytes = pngOf({ color: 0, depth: 16, width: 9, height: 7 })
    const raw = await sharp(bytes).toColourspace('grey16').raw({ depth: 'ushort' }).toBuffer()
    const { kind, samples } = await readPng(bytes, location)
    expect(kind).toBe('grey')
    expect(samples).toEqual(new Uint16Array(raw.buffer, raw.byteOffset, 63))
  })

  test('a palette keeps its indexes, colours and transparency', async () => {
    const palette = [{ color: 0x102030 }, { color: 0xff8000, alpha: 7 }, { color: 0x102030 }]
    const bytes = writePalettePng(3, 1, Uint8Array.of(2, 1, 0), palette)
    expect(await readPng(bytes, location)).toEqual({
      width: 3,
      height: 1,
      kind: 'indexed',
      samples: Uint8Array.of(2, 1, 0),
      palette: [0x102030, 0xff8000, 0x102030],
      alphas: [255, 7],
    })
  })
})

describe('writing a PNG', () => {
  const [width, height] = [37, 11]

  test('colours are read back, also by the reference decoder', async () => {
    const colors = Uint32Array.from(
      { length: width * height },
      (_, at) => ((at >> 2) * 0x3a5f71) & 0xffffff,
    )
    const bytes = writeRgbPng(width, height, colors)
    const rgb = [...colors].flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255])
    expect([...(await decoded(bytes))]).toEqual(rgb)
    expect([...(await readPng(bytes, location)).samples]).toEqual(rgb)
  })

  test('16 bits are read back, also by the reference decoder', async () => {
    const values = Uint16Array.from({ length: width * height }, (_, at) => (at >> 2) * 40_503)
    const bytes = writeGrey16Png(width, height, values)
    const raw = await sharp(bytes).toColourspace('grey16').raw({ depth: 'ushort' }).toBuffer()
    expect(new Uint16Array(raw.buffer, raw.byteOffset, values.length)).toEqual(values)
    expect((await readPng(bytes, location)).samples).toEqual(values)
  })

  test('a palette is read back by the reference decoder', async () => {
    const palette = [{ color: 0 }, { color: 0x800000, alpha: 128 }]
    const bytes = writePalettePng(2, 1, Uint8Array.of(1, 0), palette)
    const pixels = await sharp(bytes).raw().toBuffer()
    expect([...pixels]).toEqual([128, 0, 0, 128, 0, 0, 0, 255])
  })

  test('a large image of one colour is small', () => {
    expect(
      writeRgbPng(1920, 1080, new Uint32Array(1920 * 1080).fill(0x123456)).length,
    ).toBeLessThan(40_000)
  })
})

describe('reading a PNG refuses', () => {
  const size = { color: 2, depth: 8, width: 4, height: 4 }
  const good = pngOf(size)
  const at = (text: string) => good.indexOf(text)

  test.each([
    ['no PNG', Buffer.from('GIF89a......................'), 'it is none'],
    ['nothing', Buffer.alloc(0), 'it is none'],
    ['a cut picture', good.subarray(0, -20), 'it is cut off'],
    ['one without its end', good.subarray(0, -12), 'it is cut off'],
    ['changed pixels', changed(good, at('IDAT') + 6), "its part 'IDAT' has a wrong checksum"],
    ['pixels without header', withoutChunk(good, 'IHDR'), 'its header is missing'],
    ['a short header', pngOf(size, [], { IHDR: Buffer.alloc(3) }), 'its header is damaged'],
    ['no size', pngOf({ ...size, width: 0 }), 'it claims 0 x 4 pixels'],
    [
      'too many pixels',
      pngOf(size, [], { IHDR: headerOf({ ...size, width: 178_956_971, height: 1 }) }),
      '178956971 x 1 pixels are too many, at most 178956970',
    ],
    ['an odd depth', pngOf({ ...size, depth: 4 }), '4 bits a sample of colour type 2'],
    ['no palette', withoutChunk(pngOf({ ...size, color: 3 }), 'PLTE'), 'its palette is missing'],
    ['half a palette', pngOf(size, [], { PLTE: Buffer.alloc(4) }), 'its palette is damaged'],
    [
      'an index beyond the palette',
      pngOf({ ...size, color: 3 }, [0, 9], { PLTE: Buffer.alloc(6) }),
      'it has colours beyond the 2 of its palette',
    ],
    ['no deflate', pngOf(size, [], { IDAT: Buffer.alloc(20) }), 'its pixels do not unpack'],
    ['few pixels', pngOf(size, [], { IDAT: deflateSync(Buffer.alloc(9)) }), 'fewer pixels than'],
    ['many pixels', pngOf(size, [], { IDAT: deflateSync(Buffer.alloc(99)) }), 'more pixels than'],
    ['an unknown filter', pngOf(size, [], { IDAT: deflateSync(Buffer.alloc(52, 5)) }), 'row 0 has'],
    ['what has to be understood', pngOf(size, [], { XXXX: Buffer.alloc(1) }), "a part 'XXXX'"],
  ])('%s', async (_, bytes, reason) => {
    const attempt = readPng(bytes, location)
    await expect(attempt).rejects.toThrow(FormatError)
    await expect(attempt).rejects.toThrow(/^a\.png: the PNG picture cannot be read: /)
    await expect(attempt).rejects.toThrow(reason)
  })

  test('an image with changed bytes is read or refused with a FormatError', async () => {
    const originals = [good, pngOf({ ...size, color: 3, isInterlaced: true })]
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...originals),
        changes,
        fc.boolean(),
        async (one, edits, isMended) => {
          const bytes = Buffer.from(one)
          for (const [where, byte] of edits) bytes[where % bytes.length] = byte
          if (isMended) mendChecksums(bytes)
          const png = await readPng(bytes, location).catch((error: unknown) => error)
          if (png instanceof Error) expect(png).toBeInstanceOf(FormatError)
          else expect(png).toHaveProperty('samples')
        },
      ),
      { numRuns: 500 },
    )
  })
})

// ---- images of any kind

interface Kind {
  color: number
  depth: number
  width: number
  height: number
  isInterlaced?: boolean
}

/** Builds an image from random bytes: each row is a filter byte and random data. */
function pngOf(
  kind: Kind,
  random: Iterable<number> = Array.from({ length: 2000 }, (_, at) => (at * 37) % 256),
  parts: Record<string, Buffer> = {},
): Buffer {
  const bytes = random[Symbol.iterator]()
  const next = (): number => bytes.next().value ?? 0
  const rows = rowLengths(kind).map((length) =>
    Buffer.from([next() % 5, ...Array.from({ length }, next)]),
  )
  const palette = Buffer.from(
    Array.from({ length: 3 * 2 ** Math.min(8, kind.depth) }, (_, at) => (at * 83) % 256),
  )
  const chunks: Record<string, Buffer> = {
    IHDR: headerOf(kind),
    ...(kind.color === 3 && { PLTE: palette }),
    tEXt: Buffer.from('Comment\0nobody reads this'),
    IDAT: deflateSync(Buffer.concat(rows)),
    ...parts,
    IEND: Buffer.alloc(0),
  }
  const all = Object.entries(chunks).map(([type, data]) => chunkOf(type, data))
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...all])
}

function rowLengths({ color, depth, width, height, isInterlaced }: Kind): number[] {
  const bits = depth * ([1, 0, 3, 1, 2, 0, 4][color] ?? 1)
  const passes = isInterlaced ? ['0088', '4088', '0448', '2044', '0224', '1022', '0112'] : ['0011']
  return passes.flatMap((pass) => {
    const [x = 0, y = 0, dx = 1, dy = 1] = [...pass].map(Number)
    const [columns, rows] = [Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)]
    if (columns <= 0 || rows <= 0) return []
    return Array.from({ length: rows }, () => Math.ceil((columns * bits) / 8))
  })
}

function headerOf({ color, depth, width, height, isInterlaced = false }: Kind): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([depth, color, 0, 0, Number(isInterlaced)], 8)
  return header
}

function chunkOf(type: string, data: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)])
  chunk.writeUInt32BE(data.length)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4)
  return chunk
}

function* places(bytes: Buffer): Generator<{ type: string; from: number; to: number }> {
  for (let from = 8; from + 12 <= bytes.length; ) {
    const to = from + 12 + bytes.readUInt32BE(from)
    if (to > bytes.length) return
    yield { type: bytes.toString('latin1', from + 4, from + 8), from, to }
    from = to
  }
}

function withoutChunk(bytes: Buffer, wanted: string): Buffer {
  const found = [...places(bytes)].find(({ type }) => type === wanted)
  return Buffer.concat([bytes.subarray(0, found?.from), bytes.subarray(found?.to)])
}

function mendChecksums(bytes: Buffer): void {
  for (const { from, to } of places(bytes))
    bytes.writeUInt32BE(crc32(bytes.subarray(from + 4, to - 4)), to - 4)
}

function changed(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

// ---- reference decoder

/** Returns red, green, blue and optionally alpha as decoded by sharp. */
const decoded = (bytes: Uint8Array): Promise<Buffer> =>
  sharp(bytes).toColourspace('srgb').raw().toBuffer()

function colorsOf({ kind, samples, palette }: Png, depth: number): number[] {
  if (kind === 'rgb' || kind === 'rgba') return [...samples]
  const largest = 2 ** depth - 1
  return [...samples].flatMap((sample) => {
    const color = palette?.[sample]
    if (color !== undefined) return [color >> 16, (color >> 8) & 255, color & 255]
    return Array<number>(3).fill(depth === 16 ? sample >> 8 : Math.round((255 * sample) / largest))
  })
}
