import { describe, expect, test } from 'vitest'
import { sourceOf } from '../archive/source.ts'
import { writeRgbPng } from '../image/png.ts'
import type { Format } from '../model/dataset.ts'
import { formats } from '../registry.ts'
import {
  createRun,
  datasetOf,
  exportBytes,
  framesOf,
  labelOf,
  membersOf,
  type NamedFiles,
  shapeOf,
  trackOf,
  trackShapeOf,
  zipOf,
} from '../testing/run.ts'

/** Each image of an archive that is imported into a project becomes a frame, or the report names it. */

const labels = [labelOf({ id: 5, name: 'car' })]
const picture = writeRgbPng(20, 10, new Array(200).fill(0x405060))
async function* image() {
  yield picture
}
const frames = framesOf(['1.png', '2.png', 'b/3.png'], 20, 10).map((one) => ({ ...one, image }))
const given = {
  shapes: [
    shapeOf({ label_id: 5, points: [1, 2, 8, 9] }),
    shapeOf({ label_id: 5, type: 'mask', points: [0, 6, 11, 2, 13, 4] }),
  ],
  tracks: [trackOf([trackShapeOf({ points: [1, 2, 8, 9] })], { label_id: 5 })],
}

/** Returns the members that become frames, and the entries of the report. */
async function opened({ importer }: Pick<Format, 'importer'>, files: NamedFiles) {
  const { run } = createRun()
  const dataset = await importer?.openDataset?.(sourceOf(await zipOf(files)), run)
  const used = (dataset?.subsets ?? []).flatMap(({ images }) => images.map(({ member }) => member))
  const { entries } = run.report.read()
  const named = entries.flatMap(({ examples }) => examples.map(({ file = '' }) => file))
  return { used, named, entries }
}

const formatOf = (name: string): Format => {
  const format = formats.find((one) => one.name === name)
  if (!format) throw new Error(`there is no format ${name}`)
  return format
}

// TFRecord is excluded because its records contain the images.
const withMembers = formats.filter(
  ({ name, importer, exporter }) => importer && exporter && name !== 'TFRecord 1.0',
)

describe.each(withMembers)('$name', (format) => {
  const exported = exportBytes(
    format.exporter,
    datasetOf(labels, frames, given, { saveImages: true }),
  ).then(({ bytes }) => membersOf(bytes))

  test('no image of an export is left out', async () => {
    const { used, entries } = await opened(format, await exported)
    expect(used).toHaveLength(3)
    expect(entries).toEqual([])
  })

  test.each(['extra.png', 'b/Extra 2.JPG', 'other/folder/4.webp'])(
    'the unannotated image %s becomes a frame or is named in the report',
    async (extra) => {
      const members = await exported
      const { used } = await opened(format, members)
      const folder = (used.find((member) => member.endsWith('1.png')) ?? '').slice(0, -5)
      for (const member of [extra, `${folder}${extra}`]) {
        const again = await opened(format, { ...members, [member]: picture })
        expect([...again.used, ...again.named]).toContain(member)
        expect(again.used).toEqual(expect.arrayContaining(used))
      }
    },
  )
})

const document = '<annotation><filename>a.png</filename><object><name>car</name>'
const voc = `${document}<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>4</xmax><ymax>3</ymax></bndbox></object></annotation>`

test.each<[string, string, NamedFiles, string[]]>([
  [
    'beside documents',
    'Pascal VOC 1.1',
    { 'a.xml': voc, 'a.png': picture, 'b.png': picture },
    ['b.png'],
  ],
  [
    'in no list',
    'Pascal VOC 1.1',
    {
      'ImageSets/Main/train.txt': 'a\n',
      'Annotations/a.xml': voc,
      'JPEGImages/a.png': picture,
      'JPEGImages/b.png': picture,
    },
    ['JPEGImages/b.png'],
  ],
  [
    'in no list',
    'YOLO 1.1',
    {
      'obj.data': 'train = train.txt\nnames = obj.names\n',
      'obj.names': 'car\n',
      'train.txt': 'obj_train_data/a.png\n',
      'obj_train_data/a.png': picture,
      'obj_train_data/b.png': picture,
    },
    ['obj_train_data/b.png'],
  ],
  [
    'of another subset',
    'COCO 1.0',
    {
      'annotations/instances_train.json': JSON.stringify({
        images: [{ id: 1, file_name: 'a.png' }],
        categories: [],
        annotations: [],
      }),
      'images/train/a.png': picture,
      'images/test/b.png': picture,
      'images/test/c.png': picture,
    },
    ['images/test/b.png', 'images/test/c.png'],
  ],
])('images %s are named: %s', async (_, name, files, expected) => {
  const { used, entries } = await opened(formatOf(name), files)
  expect(used).toHaveLength(1)
  expect(entries).toMatchObject([
    {
      kind: 'skipped',
      code: 'ignored-file',
      count: expected.length,
      examples: expected.map((file) => ({ file })),
    },
  ])
})
