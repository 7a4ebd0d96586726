import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formats } from '../registry.ts'
import { type FileObject, objectFiles, side } from '../testing/object-files.ts'
import { framesOf, importBytes, labelOf, targetOf, zipOf } from '../testing/run.ts'

/** Each object of an upload is created, or the report counts it as skipped or dropped. */

const labels = [labelOf({ id: 5, name: 'car' })]
const target = targetOf(labels, framesOf(['a.png', 'x/b.png', 'c.png'], side, side))
const job = { ...target, frames: { ...target.frames, includes: (frame: number) => frame < 2 } }

/**
 * Few distinct values, so that both files often contain equal objects; a width of 0 has no area, and `c` is outside
 * the job.
 */
const anyObject = (hasUnlabelled: boolean): fc.Arbitrary<FileObject> =>
  fc.record({
    file: fc.constantFrom(0, 1),
    picture: fc.constantFrom('a', 'b', 'c'),
    label: fc.constantFrom('car', 'car', hasUnlabelled ? '' : 'car'),
    box: fc.tuple(fc.constantFrom(2, 4), fc.constant(6), fc.constantFrom(0, 8, 16), fc.constant(8)),
  })

test.each(Object.entries(objectFiles))(
  '%s accounts for each object of two files',
  async (name, { hasUnlabelled, filesOf }) => {
    const format = formats.find((one) => one.name === name)
    if (!format) throw new Error(`there is no format ${name}`)
    const objects = fc.array(anyObject(hasUnlabelled), { minLength: 1, maxLength: 12 })
    const account = fc.asyncProperty(objects, async (given) => {
      const bytes = await zipOf(filesOf(given))
      const { imported, report } = await importBytes(format, bytes, job)
      const { created, skipped, dropped } = report
      expect(created.shapes + created.tracks + created.tags).toBe(imported.length)
      expect(imported.length + skipped + dropped).toBe(given.length)
    })
    await fc.assert(account, { numRuns: 100 })
  },
)
