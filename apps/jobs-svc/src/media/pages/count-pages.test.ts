import { sourceOf } from '@reticle/formats/archive/source'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { apngOf, avifSequence, bigTiffOf } from '../../testing/animations.ts'
import { type TiffPage, tiffOf } from '../../testing/tiff.ts'
import { countPages, countPagesInHead } from './count-pages.ts'

const page = (subfile = 0): TiffPage => ({
  width: 4,
  height: 3,
  sample: 'uint8',
  subfile,
  values: Array(12).fill(9),
})
const animated = (format: 'gif' | 'webp', pages: number) => {
  const pageHeight = 5
  const raw = { width: 6, height: pageHeight * pages, channels: 3, pageHeight } as const
  const pixels = Uint8Array.from({ length: 6 * 5 * 3 * pages }, (_, at) => (at * at) % 251)
  return sharp(pixels, { raw }).toFormat(format).toBuffer()
}
const still = (format: 'gif' | 'webp' | 'png' | 'tiff' | 'avif' | 'jpeg') =>
  sharp({ create: { width: 6, height: 5, channels: 3, background: 'red' } })
    .toFormat(format)
    .toBuffer()

const countOf = (bytes: Uint8Array, type: string) => countPages(sourceOf(bytes), `image/${type}`)

describe('pages and frames of pictures are counted', () => {
  test.each<[string, string, number, () => Promise<Uint8Array> | Uint8Array]>([
    ['a TIFF of three pages', 'tiff', 3, () => tiffOf(page(), page(), page())],
    ['a TIFF with a thumbnail and a mask', 'tiff', 1, () => tiffOf(page(), page(1), page(4))],
    ['a TIFF of many pages', 'tiff', 300, () => tiffOf(...Array(300).fill(page()))],
    ['a BigTIFF of two pages', 'tiff', 2, () => bigTiffOf(2)],
    ['an animated GIF', 'gif', 4, () => animated('gif', 4)],
    ['an animated WebP', 'webp', 3, () => animated('webp', 3)],
    ['an APNG', 'png', 5, async () => apngOf(await still('png'), 5)],
    ['an AVIF sequence', 'avif', 7, () => avifSequence(7)],
  ])('%s', async (_, type, count, bytes) => {
    expect(await countOf(await bytes(), type)).toBe(count)
  })

  test.each(['gif', 'webp', 'png', 'tiff', 'avif', 'jpeg'] as const)(
    'a %s of one',
    async (type) => {
      expect(await countOf(await still(type), type)).toBe(1)
    },
  )
})

describe('damaged files end the count', () => {
  test('a TIFF whose last directory refers to the first one', async () => {
    const bytes = tiffOf(page(), page())
    const second = bytes.readUInt32LE(8 + 2 + 12 * 12)
    bytes.writeUInt32LE(8, second + 2 + 12 * 12)
    expect(await countOf(bytes, 'tiff')).toBe(2)
  })

  test.each<[string, () => Promise<Buffer> | Buffer]>([
    ['tiff', () => tiffOf(page(), page(), page())],
    ['gif', () => animated('gif', 3)],
    ['webp', () => animated('webp', 3)],
    ['png', async () => apngOf(await still('png'), 3)],
    ['avif', () => avifSequence(3)],
  ])('a %s that is cut at any byte has at most its pages', async (type, given) => {
    const bytes = await given()
    for (let length = 0; length < bytes.length; length += 7) {
      const count = await countOf(bytes.subarray(0, length), type)
      expect(count).toBeGreaterThanOrEqual(1)
      expect(count).toBeLessThanOrEqual(3)
    }
  })

  test('a count stated by a file is limited', async () => {
    expect(await countOf(avifSequence(4_000_000_000), 'avif')).toBe(10_000)
  })

  test('a GIF with more frames than the limit', async () => {
    const frame = Buffer.from('2c00000000010001000002024c0100', 'hex')
    const head = Buffer.from('47494638396101000100000000', 'hex')
    const bytes = Buffer.concat([head, ...Array(12_000).fill(frame), Buffer.from([0x3b])])
    expect(await countOf(bytes, 'gif')).toBe(10_000)
  })
})

test('the first bytes of a file are enough when the count does not depend on the rest', async () => {
  const apng = apngOf(await still('png'), 2)
  const head = (bytes: Buffer, type: string) =>
    countPagesInHead(bytes.subarray(0, 120), bytes.length, `image/${type}`)
  expect(await head(await still('png'), 'png')).toBe(1)
  expect(await head(await still('jpeg'), 'jpeg')).toBe(1)
  expect(await head(await still('webp'), 'webp')).toBe(1)
  expect(await head(tiffOf(page(), page()), 'tiff')).toBeUndefined()
  expect(await head(apng, 'png')).toBeUndefined()
})
