/** Checks imports of randomly damaged archives. */
import fc from 'fast-check'
import { expect } from 'vitest'
import { sourceOf } from '../archive/source.ts'
import type { Format, ImportTarget } from '../model/dataset.ts'
import { FormatError } from '../report/errors.ts'
import { createRun, framesOf, importBytes, type NamedFiles, zipOf } from './run.ts'

/** Fragments of texts of all kinds, and some that are invalid in them. */
const words = [
  '0',
  '-',
  '.',
  ',',
  ' ',
  '\n',
  '<',
  '>',
  '&',
  '"',
  '=',
  ':',
  'e99',
  'NaN',
  '\0',
  '\u00ff',
]
const member = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const damage = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      member,
      at: member,
      word: fc.constantFrom(...words),
      less: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), member }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), member, at: member }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('swap' as const), member, at: member }) },
)
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never

/**
 * Checks that any damage to a valid archive leads to an import or a `FormatError`, for tasks and projects.
 * @param target Target of the valid archive.
 */
export async function expectReadOrRefused(format: Format, files: NamedFiles, target: ImportTarget) {
  const [seen, sound] = [{ read: 0, refused: 0 }, await zipOf(files)]
  await importBytes(format, sound, target)
  await intoProject(format, sound, target)
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
      const bytes = await zipOf(damages.reduce(damaged, files))
      for (const read of reads) {
        const failure = await read(format, bytes, target).then(
          () => undefined,
          (error: unknown) => error,
        )
        if (failure !== undefined) expect(failure).toBeInstanceOf(FormatError)
        seen[failure === undefined ? 'read' : 'refused'] += 1
      }
    }),
    { numRuns: 400 },
  )
  expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(20)
}

type Read = (format: Format, bytes: Uint8Array, target: ImportTarget) => Promise<unknown>
const reads: readonly Read[] = [importBytes, intoProject]

async function intoProject({ importer }: Format, bytes: Uint8Array, { labels }: ImportTarget) {
  const set = await importer?.openDataset?.(sourceOf(bytes), createRun().run)
  for (const { images, embedded, importAnnotations } of set?.subsets ?? []) {
    const names = images.map(({ name }) => name)
    for await (const { name } of embedded?.() ?? []) names.push(name)
    const frames = { frames: framesOf(names), start_frame: 0, step: 1, is_video: false }
    const target = { labels, frames: { ...frames, includes: () => true } }
    for await (const _ of importAnnotations(target, createRun().run));
  }
}

function damaged(files: NamedFiles, damage: Damage): NamedFiles {
  const names = Object.keys(files)
  const name = names[Math.floor(damage.member * names.length)] ?? ''
  const bytes = Buffer.from(files[name] ?? '')
  const { [name]: _, ...rest } = files
  if (damage.kind === 'remove') return rest
  if (damage.kind === 'swap') {
    const other = names[Math.floor(damage.at * names.length)] ?? name
    return { ...files, [name]: files[other] ?? '', [other]: bytes }
  }
  const at = Math.floor(damage.at * bytes.length)
  if (damage.kind === 'cut') return { ...files, [name]: bytes.subarray(0, at) }
  const behind = bytes.subarray(at + damage.less)
  const changed = Buffer.concat([bytes.subarray(0, at), Buffer.from(damage.word, 'latin1'), behind])
  return { ...files, [name]: changed }
}
