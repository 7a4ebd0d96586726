import { frameOf } from '@reticle/contracts/testing/records'
import { testDb } from '@reticle/kit/testing/db'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { migrations } from '../../db/migrations/index.ts'
import type { RequestsDb } from '../../db/schema.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { testStore, uploadFile } from '../../testing/run.ts'
import { type Sample, tiffOf } from '../../testing/tiff.ts'
import { createImageDecoder } from './decode.ts'
import { createFramePictures, jpegOf } from './pictures.ts'

/** Pictures with more than eight bits per channel are displayed with the range of values that they use. */

const decode = createImageDecoder()
const [width, height] = [64, 48]
const pixels = width * height

const ramp = (low: number, high: number) =>
  Array.from({ length: pixels }, (_, at) => low + ((high - low) * at) / (pixels - 1))
const rounded = (values: readonly number[]) => values.map(Math.round)
const tiff = (sample: Sample, values: readonly number[], channels = 1) =>
  tiffOf({ width, height, sample, values, channels })
const png16 = (values: readonly number[], channels: 1 | 3 = 1) =>
  sharp(Uint16Array.from(values), { raw: { width, height, channels } })
    .toColourspace(channels === 1 ? 'grey16' : 'rgb16')
    .png()
    .toBuffer()

interface Shown {
  min: number[]
  max: number[]
  /** Values of the first channel. */
  values: number[]
}

async function shownOf(bytes: Buffer): Promise<Shown> {
  const jpeg = await decode(async () => bytes, jpegOf(100))
  const { channels } = await sharp(jpeg).stats()
  const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true })
  const values = [...data].filter((_, at) => at % info.channels === 0)
  return { min: channels.map(({ min }) => min), max: channels.map(({ max }) => max), values }
}

describe('a ramp is displayed from black to white, with its middle grey in its middle', () => {
  test.each<[string, () => Promise<Buffer> | Buffer]>([
    ['10 bits', () => png16(rounded(ramp(0, 1023)))],
    ['12 bits', () => png16(rounded(ramp(0, 4095)))],
    ['12 bits in a TIFF', () => tiff('uint16', rounded(ramp(0, 4095)))],
    ['16 bits', () => png16(rounded(ramp(0, 65_535)))],
    ['a thermal camera, in hundredths of a kelvin', () => png16(rounded(ramp(29_000, 31_500)))],
    ['signed numbers', () => tiff('int16', rounded(ramp(-1024, 3071)))],
    ['32 bits', () => tiff('uint32', rounded(ramp(0, 100_000)))],
    ['signed numbers of 32 bits', () => tiff('int32', rounded(ramp(-70_000, 70_000)))],
    ['floats of 0 to 1', () => tiff('float', ramp(0, 1))],
    ['floats below 0', () => tiff('float', ramp(-40, 85.5))],
    ['large floats', () => tiff('float', ramp(0, 3e8))],
  ])('%s', async (_, bytes) => {
    const { min, max, values } = await shownOf(await bytes())
    expect(Math.max(...min)).toBeLessThan(5)
    expect(Math.min(...max)).toBeGreaterThan(250)
    expect(values[pixels / 2]).toBeGreaterThan(110)
    expect(values[pixels / 2]).toBeLessThan(145)
  })

  test('floats of 16 bits', async () => {
    const bits = ramp(0, 1).map((value) => (value < 0.5 ? 0 : 0x3c00))
    const { min, max } = await shownOf(tiff('halfFloat', bits))
    expect([Math.max(...min), Math.min(...max)]).toEqual([0, 255])
  })
})

describe('pixels outside the usual range', () => {
  test('some broken pixels of a sensor do not darken the others', async () => {
    const values = rounded(ramp(1000, 1200))
    values[100] = 65_535
    values[2000] = 0
    const { min, max } = await shownOf(await png16(values))
    expect(Math.max(...min)).toBeLessThan(5)
    const { values: shown } = await shownOf(await png16(values))
    expect(shown[pixels - 200]).toBeGreaterThan(200)
    expect(Math.min(...max)).toBeGreaterThan(250)
  })

  test('a few light pixels on an even background are visible', async () => {
    const values: number[] = Array(pixels).fill(100)
    values[1500] = 900
    const { values: shown } = await shownOf(await png16(values))
    expect(shown[1500]).toBeGreaterThan(150)
    expect(shown[40]).toBeLessThan(10)
  })

  test('NaN and infinite values do not change the range', async () => {
    const values = ramp(0, 1)
    for (const [place, value] of [Number.NaN, Infinity, -Infinity].entries()) values[place] = value
    const { values: shown } = await shownOf(tiff('float', values))
    expect(shown[pixels - 10]).toBeGreaterThan(240)
    expect(shown[pixels / 2]).toBeGreaterThan(110)
    expect(shown[pixels / 2]).toBeLessThan(145)
  })

  test('a picture of NaN alone is displayed evenly', async () => {
    const { min, max } = await shownOf(tiff('float', Array(pixels).fill(Number.NaN)))
    expect(min).toEqual(max)
  })

  test.each([
    ['black', 0, 0],
    ['white', 65_535, 255],
    ['grey', 32_768, 128],
  ])('an even picture of 16 bits stays %s', async (_, value, seen) => {
    const { min, max } = await shownOf(await png16(Array(pixels).fill(value)))
    expect([...min, ...max].every((one) => Math.abs(one - seen) <= 1)).toBe(true)
  })

  test('an even picture of floats is displayed as a fraction of 1', async () => {
    const { values } = await shownOf(tiff('float', Array(pixels).fill(0.5)))
    expect(Math.abs((values[0] ?? 0) - 128)).toBeLessThanOrEqual(2)
  })
})

describe('colours and alpha', () => {
  const rgb = (values: readonly number[]) => values.flatMap((value) => [value, value / 2, 0])

  test('colours of 16 bits share one range, so that their hue stays', async () => {
    const { max } = await shownOf(await png16(rounded(rgb(ramp(0, 4094))), 3))
    expect(max[0]).toBeGreaterThan(245)
    expect(Math.abs((max[1] ?? 0) - 128)).toBeLessThan(16)
    expect(max[2]).toBeLessThan(30)
  })

  test('colours of floats are displayed', async () => {
    const { min, max } = await shownOf(tiff('float', rgb(ramp(0, 0.02)), 3))
    expect(max[0]).toBeGreaterThan(240)
    expect(min[0]).toBeLessThan(20)
  })

  test('alpha and invisible pixels do not change the range', async () => {
    const grey = rounded(ramp(500, 900))
    const values = grey.flatMap((value, at) => (at < 300 ? [40_000, 0] : [value, 65_535]))
    const { values: shown } = await shownOf(tiff('uint16', values, 2))
    expect(shown[pixels - 30]).toBeGreaterThan(230)
    expect(shown[400]).toBeLessThan(60)
  })
})

describe('pictures of eight bits are not stretched', () => {
  test.each<[string, () => Promise<Buffer> | Buffer]>([
    ['a dark PNG of 8 bits', () => eightBits().png().toBuffer()],
    ['a dark TIFF of 8 bits', () => tiff('uint8', rounded(ramp(10, 40)))],
    ['a dark JPEG', () => eightBits().jpeg({ quality: 100 }).toBuffer()],
    ['a dark WebP', () => eightBits().webp({ lossless: true }).toBuffer()],
  ])('%s', async (_, bytes) => {
    const { min, max } = await shownOf(await bytes())
    expect(Math.min(...min)).toBeGreaterThan(6)
    expect(Math.max(...max)).toBeLessThan(44)
  })

  const eightBits = () =>
    sharp(Uint8Array.from(ramp(10, 40)), { raw: { width, height, channels: 1 } })
})

test('previews are stretched as frames are, originals are unchanged', async () => {
  const db = await testDb<RequestsDb>(migrations, 'requests')
  const { blobs } = await testStore()
  const pictures = createFramePictures({ db, blobs })
  const bytes = await png16(rounded(ramp(0, 4095)))
  const { key, size } = await uploadFile(blobs, 'a.png', bytes)
  const place = { key, offset: 0, length: size, media_type: 'image/png' }
  const frame = {
    ...frameOf({ ...place, width, height }),
    task_id: 1,
    frame: 0,
    image_quality: 90,
    data_revision: 1,
  }
  const preview = await sharp(await gatherBytes((await pictures.preview(frame)).chunks)).stats()
  expect([preview.channels[0]?.min, preview.channels[0]?.max]).toEqual([0, 255])
  const compressed = await sharp(
    await gatherBytes((await pictures.compressed(frame)).chunks),
  ).stats()
  expect(compressed.channels[0]?.max).toBeGreaterThan(250)
  expect(await gatherBytes((await pictures.original(frame)).chunks)).toEqual(bytes)
})

test('the range of a large picture is found from a sample', async () => {
  const side = 1500
  const values = Uint16Array.from({ length: side * side }, (_, at) => 2000 + (at % side))
  const bytes = await sharp(values, { raw: { width: side, height: side, channels: 1 } })
    .toColourspace('grey16')
    .png({ compressionLevel: 1 })
    .toBuffer()
  const { min, max } = await shownOf(bytes)
  expect([Math.max(...min), Math.min(...max)]).toEqual([0, 255])
})
