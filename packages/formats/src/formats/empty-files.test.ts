import { describe, expect, test } from 'vitest'
import { sourceOf } from '../archive/source.ts'
import type { Format } from '../model/dataset.ts'
import { formats } from '../registry.ts'
import type { ReportEntry } from '../report/conversion-report.ts'
import { FormatError } from '../report/errors.ts'
import * as run from '../testing/run.ts'
import { baseOf } from '../text/paths.ts'

/** Every importer must handle files of 0 bytes, of whitespace, and of a byte order mark alone. */

const labels = [run.labelOf({ id: 5, name: 'car' }), run.labelOf({ id: 7, name: 'man' })]
const frames = run.framesOf(['a.png', 'b.png'], 20, 10)
const target = run.targetOf(labels, frames)
const shapes = [
  run.shapeOf({ label_id: 5, points: [1, 2, 8, 9] }),
  run.shapeOf({ label_id: 7, frame: 1, points: [3, 2, 9, 9] }),
  run.shapeOf({ label_id: 7, frame: 1, type: 'polygon', points: [3, 2, 9, 2, 9, 9] }),
]

const importers = formats.filter(({ importer }) => importer).map(({ name }) => name)
const formatOf = (name: string): Format => {
  const format = formats.find((one) => one.name === name)
  if (!format) throw new Error(`there is no format ${name}`)
  return format
}

interface Ended {
  count: number
  message: string
  entries: ReportEntry[]
}

/** Returns the result of an import into a task or a project; rethrows errors other than `FormatError`. */
async function ended(
  { importer }: Format,
  bytes: Uint8Array,
  into: 'task' | 'project',
): Promise<Ended> {
  const { run: around, progress } = run.createRun()
  let count = 0
  let message = ''
  const importAll = async () => {
    if (into === 'task') {
      const objects = importer?.importAnnotations(sourceOf(bytes), target, around)
      count += (await run.collectAll(objects)).length
    }
    const dataset = into === 'project' && (await importer?.openDataset?.(sourceOf(bytes), around))
    for (const subset of dataset ? dataset.subsets : [])
      count += (await run.collectAll(subset.importAnnotations(target, around))).length
  }
  await importAll().catch((thrown) => {
    if (!(thrown instanceof FormatError)) throw thrown
    message = thrown.message
  })
  expect(progress.filter((share) => !(share >= 0 && share <= 1))).toEqual([])
  return { count, message, entries: around.report.read().entries }
}

async function ownExport(format: Format, given: { shapes?: typeof shapes }, withImages = false) {
  async function* image() {
    yield Buffer.from('not read here')
  }
  const pictures = frames.map((frame) => (withImages ? { ...frame, image } : frame))
  const dataset = run.datasetOf(labels, pictures, given, { saveImages: withImages })
  return (await run.exportBytes(format.exporter, dataset)).bytes
}

/**
 * Excludes files that may be empty or are not read here: an empty file of boxes means an image without objects,
 * images are read when frames are created, and KITTI reads only one picture of an image.
 */
const isReadHere = (name: string) =>
  !/^obj_train_data\/[ab]\.txt$|^default\/label_2\/|^default\/semantic/.test(name) &&
  (!name.endsWith('.png') || /Segmentation|instance/.test(name))

const contents = [
  ['0 bytes', ''],
  ['blanks', ' \r\n\t\n'],
  ['a byte order mark', '\ufeff'],
] as const
const ways = ['task', 'project'] as const

describe.each(importers)('%s', (name) => {
  const format = formatOf(name)

  test.each(ways)('an upload of 0 bytes fails when imported into a %s', async (into) => {
    expect((await ended(format, Buffer.alloc(0), into)).message).toBe('the file is empty')
  })

  test.each(ways)('an upload without content fails when imported into a %s', async (into) => {
    const uploads = [
      Buffer.from(' \n'),
      Buffer.from('\ufeff'),
      await run.zipOf({}),
      await run.zipOf({ 'a/': '', 'b/c/': '' }),
      await run.zipOf({ 'a.bin': '' }),
    ]
    for (const bytes of uploads) expect((await ended(format, bytes, into)).message).not.toBe('')
  })

  test('an export without objects is imported again and stores nothing', async () => {
    const { count, message } = await ended(format, await ownExport(format, {}), 'task')
    expect({ count, message }).toEqual({ count: 0, message: '' })
  })

  test.each(ways)(
    'a member of 0 bytes is named in an error or reported when imported into a %s',
    async (into) => {
      const members = await run.membersOf(await ownExport(format, { shapes }, true))
      for (const member of Object.keys(members).filter(isReadHere)) {
        const bytes = await run.zipOf({ ...members, [member]: '' })
        const { message, entries } = await ended(format, bytes, into)
        const isNamed = message.includes(baseOf(member))
        const notes = entries.map(({ reason }) => reason)
        const isAnswered = isNamed || entries.length > 0
        expect({ member, message, notes, isAnswered }).toMatchObject({ isAnswered: true })
      }
    },
  )

  test.each(contents)('a member of %s causes no unexpected error', async (_, content) => {
    const members = await run.membersOf(await ownExport(format, { shapes }, true))
    for (const member of Object.keys(members))
      for (const into of ways)
        await ended(format, await run.zipOf({ ...members, [member]: content }), into)
  })

  test.each(contents)(
    'an archive whose members are all %s is imported or refused',
    async (_, content) => {
      const members = Object.keys(await run.membersOf(await ownExport(format, { shapes }, true)))
      const bytes = await run.zipOf(Object.fromEntries(members.map((member) => [member, content])))
      for (const into of ways) {
        const { count, message, entries } = await ended(format, bytes, into)
        expect(count).toBe(0)
        expect([message !== '', entries.length > 0]).toContain(true)
      }
    },
  )
})
