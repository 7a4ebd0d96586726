import fc from 'fast-check'
import sharp, { type Sharp } from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { readJpegSize } from './jpeg-size.ts'
import { readPngSize } from './png-size.ts'

/** Wider than high, so that a wrong orientation is detected. */
const side = { width: 40, height: 24 }
const scene = () => sharp({ create: { ...side, channels: 3, background: '#c63' } })
const grey = () => scene().toColourspace('b-w')
const seen = async (bytes: Uint8Array) => {
  const { autoOrient } = await sharp(bytes).metadata()
  return { width: autoOrient.width, height: autoOrient.height }
}

const jpegs: [string, () => Sharp][] = [
  ['of three colours', () => scene().jpeg()],
  ['that is progressive', () => scene().jpeg({ progressive: true })],
  ['of greys', () => grey().jpeg()],
  ['of four inks', () => scene().toColourspace('cmyk').jpeg()],
  ['with a profile', () => scene().withIccProfile('p3').jpeg()],
  [
    'with words in it',
    () =>
      scene()
        .withExif({ IFD0: { Copyright: 'nobody' } })
        .jpeg(),
  ],
  ...Array.from(
    { length: 8 },
    (_, n) =>
      [
        `of orientation ${n + 1}`,
        () =>
          scene()
            .withMetadata({ orientation: n + 1 })
            .jpeg(),
      ] as const,
  ).map(([name, make]): [string, () => Sharp] => [name, make]),
]
const pngs: [string, () => Sharp][] = [
  ['of three colours', () => scene().png()],
  ['of greys', () => grey().png()],
  ['with a palette', () => scene().png({ palette: true })],
  ['that is transparent', () => scene().ensureAlpha(0.5).png()],
  ['in passes', () => scene().png({ progressive: true })],
  ['of sixteen bits', () => scene().toColourspace('rgb16').png()],
]

describe.each([
  ['JPEG', jpegs, readJpegSize],
  ['PNG', pngs, readPngSize],
] as const)('the size of a %s', (_, pictures, read) => {
  const made = new Map<string, Buffer>()
  beforeAll(async () => {
    for (const [name, make] of pictures) made.set(name, await make().toBuffer())
  })
  const bytesOf = (name: string) => made.get(name) ?? Buffer.alloc(0)

  test.each(pictures.map(([name]) => name))('%s equals the size of the decoder', async (name) => {
    expect(read(bytesOf(name))).toEqual(await seen(bytesOf(name)))
  })

  test('is undefined when the bytes end too early', () => {
    const bytes = bytesOf('of three colours')
    const shortest = bytes.findIndex(
      (_byte, length) => read(bytes.subarray(0, length)) !== undefined,
    )
    expect(shortest).toBeGreaterThan(30)
    expect(read(bytes.subarray(0, shortest - 1))).toBeUndefined()
  })

  test('never differs from the size of the decoder, for any bytes', async () => {
    const change = fc.record({ at: fc.nat(400), by: fc.integer({ min: 1, max: 255 }) })
    const changed = fc.record({
      name: fc.constantFrom(...made.keys()),
      changes: fc.array(change, { minLength: 1, maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(changed, async ({ name, changes }) => {
        const bytes = Buffer.from(bytesOf(name))
        for (const { at, by } of changes) bytes[at] = (bytes[at] ?? 0) ^ by
        const size = read(bytes)
        const theirs = await seen(bytes).catch(() => undefined)
        if (size && theirs) expect(size).toEqual(theirs)
      }),
      { numRuns: 600 },
    )
  })
})

describe('is left to the decoder', () => {
  test('for a PNG with an orientation', async () => {
    const bytes = await scene().withMetadata({ orientation: 6 }).png().toBuffer()
    expect(readPngSize(bytes)).toBeUndefined()
  })

  test('for other files', () => {
    expect(readJpegSize(Buffer.from('no picture at all, but some text'))).toBeUndefined()
    expect(readPngSize(Buffer.from('no picture at all, but some text'))).toBeUndefined()
    expect(readJpegSize(Buffer.alloc(0))).toBeUndefined()
  })
})
