import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BmpPixels, decodeBmp, isBitmap, readBmpHeader } from './bmp.ts'

type Colour = [red: number, green: number, blue: number, alpha?: number]

const [black, white]: [Colour, Colour] = [
  [0, 0, 0],
  [255, 255, 255],
]
const [red, green, blue, grey]: [Colour, Colour, Colour, Colour] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [128, 64, 32],
]

interface Crafted {
  width: number
  height: number
  depth: number
  /** Rows as stored in the file, padded. */
  data: number[]
  compression?: number
  /** Size of the header in bytes. */
  size?: number
  palette?: Colour[]
  masks?: number[]
  used?: number
  start?: number
}

/** Builds a Windows bitmap byte by byte. */
function craft({
  width,
  height,
  depth,
  data,
  palette = [],
  masks = [],
  ...given
}: Crafted): Buffer {
  const { compression = 0, size = 40, used = palette.length } = given
  const isCore = size === 12
  const header = Buffer.alloc(14 + size)
  header.write('BM', 0, 'latin1')
  header.writeUInt32LE(size, 14)
  if (isCore) {
    for (const [index, value] of [width, height, 1, depth].entries())
      header.writeUInt16LE(value, 18 + 2 * index)
  } else {
    header.writeInt32LE(width, 18)
    header.writeInt32LE(height, 22)
    header.writeUInt16LE(1, 26)
    header.writeUInt16LE(depth, 28)
    if (size >= 40) {
      header.writeUInt32LE(compression, 30)
      header.writeUInt32LE(used, 46)
    }
  }
  const inside = size >= 52
  const fitting = masks.slice(0, (size - 40) / 4)
  if (inside)
    for (const [index, mask] of fitting.entries()) header.writeUInt32LE(mask, 54 + 4 * index)
  const behind = Buffer.alloc(inside ? 0 : 4 * masks.length)
  if (!inside) for (const [index, mask] of masks.entries()) behind.writeUInt32LE(mask, 4 * index)
  const colours = palette.flatMap(([r, g, b]) => (isCore ? [b, g, r] : [b, g, r, 0]))
  const head = Buffer.concat([header, behind, Buffer.from(colours)])
  head.writeUInt32LE(given.start ?? head.length, 10)
  return Buffer.concat([head, Buffer.from(data)])
}

function decode(bytes: Uint8Array, most = 10_000): BmpPixels {
  const steps = decodeBmp(bytes, most)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Returns the rows from the top. */
function rowsOf(bytes: Uint8Array): Colour[][] {
  const { width, height, channels, data } = decode(bytes)
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => {
      const at = (y * width + x) * channels
      return [...data.subarray(at, at + channels)] as Colour
    }),
  )
}

describe('each kind of bitmap is decoded', () => {
  const colours = [black, red, green, blue, white, grey]
  const cases: [string, Crafted, Colour[][]][] = [
    [
      '1 bit',
      {
        width: 9,
        height: 2,
        depth: 1,
        palette: [black, white],
        data: [0xff, 0x80, 0, 0, 0xa5, 0, 0, 0],
      },
      [[white, black, white, black, black, white, black, white, black], Array(9).fill(white)],
    ],
    [
      '2 bits',
      {
        width: 3,
        height: 1,
        depth: 2,
        palette: [black, red, green, blue],
        data: [0b01_10_11_00, 0, 0, 0],
      },
      [[red, green, blue]],
    ],
    [
      '4 bits',
      {
        width: 3,
        height: 2,
        depth: 4,
        palette: colours,
        data: [0x12, 0x30, 0, 0, 0x45, 0x10, 0, 0],
      },
      [
        [white, grey, red],
        [red, green, blue],
      ],
    ],
    [
      '8 bits, of which the palette lacks one',
      { width: 3, height: 1, depth: 8, palette: colours, data: [3, 5, 9, 0] },
      [[blue, grey, black]],
    ],
    ['16 bits', { width: 2, height: 1, depth: 16, data: [0x00, 0x7c, 0xe0, 0x03] }, [[red, green]]],
    [
      '16 bits with masks of 5, 6 and 5',
      {
        width: 2,
        height: 1,
        depth: 16,
        compression: 3,
        masks: [0xf800, 0x07e0, 0x001f],
        data: [0xe0, 0x07, 0x1f, 0x00],
      },
      [[green, blue]],
    ],
    [
      '24 bits',
      { width: 1, height: 2, depth: 24, data: [0, 0, 255, 0, 32, 64, 128, 0] },
      [[grey], [red]],
    ],
    [
      '24 bits from above',
      { width: 1, height: -2, depth: 24, data: [0, 0, 255, 0, 32, 64, 128, 0] },
      [[red], [grey]],
    ],
    [
      '32 bits',
      { width: 2, height: 1, depth: 32, data: [255, 0, 0, 9, 0, 255, 0, 9] },
      [[blue, green]],
    ],
    [
      '32 bits with masks',
      {
        width: 1,
        height: 1,
        depth: 32,
        compression: 3,
        masks: [0xff000000, 0xff0000, 0xff00],
        data: [9, 32, 64, 128],
      },
      [[grey]],
    ],
    [
      '32 bits with alpha in the header of version 5',
      {
        width: 1,
        height: 1,
        depth: 32,
        compression: 3,
        size: 124,
        masks: [0xff0000, 0xff00, 0xff, 0xff000000],
        data: [32, 64, 128, 200],
      },
      [[[128, 64, 32, 200]]],
    ],
    [
      '32 bits with 10 of each',
      {
        width: 1,
        height: 1,
        depth: 32,
        compression: 3,
        masks: [0x3ff00000, 0xffc00, 0x3ff],
        data: [0xff, 0x03, 0, 0],
      },
      [[blue]],
    ],
    [
      'OS/2, 8 bits',
      {
        width: 2,
        height: 1,
        depth: 8,
        size: 12,
        palette: colours.concat(Array(250).fill(black)),
        data: [1, 4, 0, 0],
      },
      [[red, white]],
    ],
    [
      'OS/2, 24 bits',
      { width: 1, height: 1, depth: 24, size: 12, data: [32, 64, 128, 0] },
      [[grey]],
    ],
    [
      'OS/2 2, 24 bits',
      { width: 1, height: 1, depth: 24, size: 64, data: [32, 64, 128, 0] },
      [[grey]],
    ],
    [
      'OS/2 2 with a short header',
      { width: 1, height: 1, depth: 24, size: 16, data: [32, 64, 128, 0] },
      [[grey]],
    ],
    [
      'runs of 8 bits',
      {
        width: 4,
        height: 3,
        depth: 8,
        compression: 1,
        palette: colours,
        // bottom: 3 x red, then one literal pixel; middle: skip of one; top: three literal pixels, padded
        data: [3, 1, 1, 2, 0, 0, 0, 2, 1, 0, 2, 3, 0, 0, 0, 3, 4, 5, 1, 0, 0, 1],
      },
      [
        [white, grey, red, black],
        [black, blue, blue, black],
        [red, red, red, green],
      ],
    ],
    [
      'runs of 4 bits',
      {
        width: 5,
        height: 2,
        depth: 4,
        compression: 2,
        palette: colours,
        data: [5, 0x12, 0, 0, 0, 3, 0x34, 0x50, 2, 0x11, 0, 1],
      },
      [
        [blue, white, grey, red, red],
        [red, green, red, green, red],
      ],
    ],
    [
      'runs that end early or lead outside',
      { width: 2, height: 2, depth: 8, compression: 1, palette: colours, data: [9, 1, 0, 0, 1] },
      [
        [black, black],
        [red, red],
      ],
    ],
    [
      'pixels whose place is not said',
      { width: 1, height: 1, depth: 24, start: 0, data: [32, 64, 128, 0] },
      [[grey]],
    ],
    [
      'a last row without its padding',
      { width: 1, height: 1, depth: 24, data: [32, 64, 128] },
      [[grey]],
    ],
    [
      'more colours than there can be',
      { width: 1, height: 1, depth: 1, palette: [black, red], used: 70_000, data: [0x80, 0, 0, 0] },
      [[red]],
    ],
  ]
  test.each(cases)('%s', (_, given, rows) => {
    const bytes = craft(given)
    expect(isBitmap(bytes)).toBe(true)
    expect(rowsOf(bytes)).toEqual(rows)
  })
})

describe('an invalid bitmap is refused before memory is allocated', () => {
  const one = { width: 1, height: 1, depth: 24, data: [1, 2, 3, 0] }
  const cases: [string, Buffer, string][] = [
    ['nothing', Buffer.alloc(0), 'it has no header'],
    ['two letters', Buffer.from('BMW is a car, not a picture of one'), 'it has no header'],
    ['half a header', craft(one).subarray(0, 40), 'its header is cut off'],
    ['half of its pixels', craft({ ...one, height: 5 }), 'has 58 of 73 bytes'],
    ['no width', craft({ ...one, width: 0 }), '0 x 1 pixels'],
    ['a width below zero', craft({ ...one, width: -1 }), '-1 x 1 pixels'],
    [
      'too many pixels',
      craft({ ...one, width: 101, height: 100 }),
      '101 x 100 pixels are too many',
    ],
    ['a side beyond all', craft({ ...one, width: 0x7fffffff }), '2147483647 x 1 pixels'],
    ['a height of -2^31', craft({ ...one, height: -0x80000000 }), '1 x 2147483648 pixels'],
    ['an unknown depth', craft({ ...one, depth: 5 }), '5 bits a pixel'],
    ['a JPEG inside', craft({ ...one, compression: 4 }), 'compression 4'],
    ['runs of another depth', craft({ ...one, compression: 1 }), 'compression 1 with 24 bits'],
    ['runs from above', craft({ ...one, depth: 8, height: -1, compression: 1 }), 'packed rows'],
    ['fax of OS/2', craft({ ...one, depth: 1, size: 64, compression: 3 }), 'compression 3'],
    [
      'masks with holes',
      craft({ ...one, depth: 16, compression: 3, masks: [5, 2, 8] }),
      'runs of bits',
    ],
    [
      'an empty mask',
      craft({ ...one, depth: 16, compression: 3, masks: [0, 2, 8] }),
      'runs of bits',
    ],
  ]
  test.each(cases)('%s', (_, bytes, message) => {
    expect(() => decode(bytes)).toThrow(message)
  })
})

test('a large bitmap is decoded in steps', () => {
  const bytes = craft({
    width: 2000,
    height: 4100,
    depth: 1,
    palette: [red, blue],
    data: Array(4100 * 252).fill(0),
  })
  const steps = decodeBmp(bytes, 10_000_000)
  let count = 1
  while (!steps.next().done) count += 1
  expect(count).toBe(3)
})

test('any bytes lead to pixels or a FormatError', () => {
  const head = fc.record({
    width: fc.integer({ min: -2, max: 60 }),
    height: fc.integer({ min: -40, max: 40 }),
    depth: fc.constantFrom(1, 2, 4, 8, 16, 24, 32, 7),
    compression: fc.constantFrom(0, 1, 2, 3, 6, 9),
    size: fc.constantFrom(12, 16, 40, 52, 56, 64, 108, 124),
    palette: fc.array(fc.constantFrom(red, blue, grey), { maxLength: 20 }),
    masks: fc.array(fc.constantFrom(0, 0xff, 0xff00, 0xff0000, 0xf0f, 0xff000000), {
      maxLength: 4,
    }),
    used: fc.constantFrom(0, 3, 256, 0xffffffff),
    data: fc.array(fc.nat(255), { maxLength: 3000 }),
    start: fc.constantFrom(0, 26, 54, 70, 5000, 0xffffffff),
  })
  fc.assert(
    fc.property(
      head,
      fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { maxLength: 3 }),
      (given, changes) => {
        const bytes = craft({
          ...given,
          width: given.size === 12 ? Math.abs(given.width) : given.width,
          height: given.size === 12 ? Math.abs(given.height) : given.height,
        })
        for (const [at, byte] of changes) bytes[at] = byte
        try {
          const { width, height, channels, data } = decode(bytes)
          expect(data.length).toBe(width * height * channels)
          expect(readBmpHeader(bytes)).toMatchObject({ width, height })
        } catch (thrown) {
          expect(thrown).toMatchObject({ name: 'FormatError' })
        }
      },
    ),
    { numRuns: 3000, seed: 1 },
  )
})
