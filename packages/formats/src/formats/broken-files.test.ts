import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sourceOf } from '../archive/source.ts'
import { type Imported, shapeTypes } from '../model/dataset.ts'
import { formats } from '../registry.ts'
import { FormatError } from '../report/errors.ts'
import { anyShapes, frames, labels } from '../testing/any-annotations.ts'
import {
  createRun,
  datasetOf,
  exportBytes,
  importBytes,
  membersOf,
  targetOf,
  zipOf,
} from '../testing/run.ts'

/**
 * Any corruption of the files in an archive leads to an import or a FormatError: never a TypeError, never an invalid
 * coordinate or frame.
 */

const image = async function* () {
  yield Buffer.from('an image')
}
const pictures = frames.map((frame) => ({ ...frame, image }))
const [shapes = []] = fc.sample(anyShapes(shapeTypes), { numRuns: 1, seed: 3 })

/** Replacements for a number or word. */
const odd = fc.constantFrom(
  ...['', '-1', '0', '1.5', '1e999', 'NaN', 'Infinity', '-0', '9'.repeat(30), '1e300', 'null'],
  ...['"x"', '[]', '{}', '<', '&amp;', '&x;', '\0', 'ü', '\ufeff', '\r\n', ' ', ',', ':'],
)
const change = fc.record({ member: fc.nat(), at: fc.nat(), odd: fc.option(odd), byte: fc.nat(255) })
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** Replaces a word of a text, or a byte of other content. */
function changed(content: Buffer, { at, odd, byte }: Change): Buffer {
  const words = [...content.toString('latin1').matchAll(/[\w.+-]+/g)]
  const word = words[at % Math.max(1, words.length)]
  if (odd === null || !word) {
    const copy = Buffer.from(content)
    if (copy.length > 0) copy[at % copy.length] = byte
    return copy
  }
  const [from, to] = [word.index, word.index + word[0].length]
  return Buffer.concat([content.subarray(0, from), Buffer.from(odd), content.subarray(to)])
}

const withImporter = formats.filter((one) => one.dimension === '2d' && one.importer && one.exporter)

describe.each(withImporter)('$name', (format) => {
  const whole = exportBytes(
    format.exporter,
    datasetOf(labels, pictures, { shapes }, { saveImages: true }),
  ).then(({ bytes }) => membersOf(bytes))

  test('files with random changes are imported or refused with a FormatError', async () => {
    const members = Object.entries(await whole)
    const isAnyImage = (name: string): boolean => name.endsWith('.jpg')
    const names = members.map(([name]) => name).filter((name) => !isAnyImage(name))
    const property = fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 3 }),
      async (changes) => {
        const files = new Map(members)
        for (const one of changes) {
          const name = names[one.member % names.length] ?? ''
          files.set(name, changed(files.get(name) ?? Buffer.alloc(0), one))
        }
        const bytes = await zipOf(Object.fromEntries(files))
        const read = await unlessRefused(importBytes(format, bytes, targetOf(labels, frames)))
        for (const one of read?.imported ?? []) expectSound(one)
        await unlessRefused(format.importer?.openDataset?.(sourceOf(bytes), createRun().run))
      },
    )
    await fc.assert(property, { numRuns: 300, seed: 1 })
  })
})

async function unlessRefused<T>(attempt: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await attempt
  } catch (thrown) {
    if (thrown instanceof FormatError) return undefined
    throw thrown
  }
}

/** Checks that coordinates are within the limits of the service, and frames within the task. */
function expectSound(one: Imported): void {
  if (one.kind === 'tag') return
  const all = one.kind === 'shape' ? [one.shape, ...one.shape.elements] : one.track.shapes
  for (const { frame, points, rotation } of all) {
    expect(frames[frame]).toBeDefined()
    expect(rotation >= 0 && rotation <= 360).toBe(true)
    expect(points.every((value) => Math.abs(value) <= 10_000_000)).toBe(true)
  }
}
