import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import { writeRgbPng } from '../../image/png.ts'
import { expectReadOrRefused } from '../../testing/damage.ts'
import {
  createRun,
  framesOf,
  importBytes,
  labelOf,
  type NamedFiles,
  targetOf,
  zipOf,
} from '../../testing/run.ts'
import { labelMe } from '../labelme.ts'
import { openLabelMeDataset } from './dataset.ts'

/** Collections of the MIT web tool, and archives as users pack them. */

const corners = [
  [1, 1],
  [20, 1],
  [20, 30],
]

/** An object as the tool writes it, with line breaks around texts. */
function objectText(name: string, more = '', points = corners): string {
  const places = points.map(
    ([x, y]) => `<pt>\n<x>\n${x}\n</x>\n<y>\n${y}\n</y>\n<time>1</time>\n</pt>`,
  )
  return `<object>\n<name>\n${name}\n</name>\n<deleted>\n0\n</deleted>\n<verified>\n0\n</verified>\n<date>01-Jan-2011 10:00:00</date>${more}<polygon>\n<username>\nanonymous\n</username>\n${places.join('\n')}\n</polygon>\n</object>`
}

const documentText = (filename: string, folder: string, ...objects: string[]): string =>
  `<annotation>\n<filename>\n${filename}\n</filename>\n<folder>\n${folder}\n</folder>\n<source><sourceImage>The MIT-CSAIL database</sourceImage></source>\n${objects.join('\n')}<imagesize><nrows>80</nrows><ncols>100</ncols></imagesize></annotation>`

async function imported(files: NamedFiles, paths = ['a.jpg', 'b.jpg']) {
  const known = ['car', 'tree'].map((name, id) => labelOf({ id, name }))
  return importBytes(labelMe, await zipOf(files), targetOf(known, framesOf(paths)))
}

const car = objectText('car')
const mine = documentText('a.jpg', '05june05_static', car, objectText(' tree '))
const yours = documentText('b.jpg', 'users/u/town', car)

describe('a LabelMe collection', () => {
  test.each<[string, NamedFiles, string[]]>([
    [
      'of the tool',
      {
        'LabelMe/Annotations/05june05_static/a.xml': mine,
        'LabelMe/Annotations/users/u/town/b.xml': yours,
        'LabelMe/Images/05june05_static/a.jpg': 'x',
        'LabelMe/Images/users/u/town/b.jpg': 'x',
      },
      ['05june05_static/a.jpg', 'users/u/town/b.jpg'],
    ],
    [
      'that is flat, with names in capitals, of Windows',
      {
        'set\\A.XML': mine.replace('a.jpg', 'A.JPG').replaceAll('\n', '\r\n'),
        'set\\A.JPG': 'x',
        'set\\b.xml': `\uFEFF${yours}`,
        'set\\b.jpg': 'x',
        'set\\._b.xml': Buffer.from([0, 5]),
      },
      ['A.JPG', 'b.jpg'],
    ],
  ])('%s', async (_, files, names) => {
    const { shapes, report } = await imported(files)
    expect(shapes.map(({ frame, label_id }) => [frame, label_id])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
    ])
    expect(report.entries).toEqual([])
    const { subsets } = await openLabelMeDataset(sourceOf(await zipOf(files)), createRun().run)
    expect(subsets.flatMap(({ images }) => images.map(({ name }) => name))).toEqual(names)
  })

  test('with equal ids for all objects has no groups', async () => {
    const id = '<id>0</id>'
    const text = documentText('a.jpg', '', objectText('car', id), objectText('tree', id))
    const { shapes } = await imported({ 'a.xml': text })
    expect(shapes.map(({ group }) => group)).toEqual([0, 0])
  })

  test('with lines and points is imported without them, and reports them', async () => {
    const line = objectText('car', '', corners.slice(0, 2))
    const { shapes, report } = await imported({ 'a.xml': documentText('a.jpg', '', line, car) })
    expect(shapes).toHaveLength(1)
    expect(report.entries).toMatchObject([
      { code: 'degenerate-shape', examples: [{ file: 'a.xml', item: 'object 1' }] },
    ])
  })
})

test.each<[string, string | Uint8Array, string]>([
  ['an empty document', '', 'a.xml: document must contain a root element'],
  ['latin-1', Buffer.from(documentText('a.jpg', '', objectText('Tür')), 'latin1'), 'not UTF-8'],
  ['a sign that XML lacks', documentText('a.jpg', '', objectText('a & b')), 'a.xml: '],
  [
    'an object of two shapes',
    documentText('a.jpg', '', car.replace('<polygon>', '<polygon/><polygon>')),
    'a.xml: object 1: it has 2 shapes, expected one',
  ],
  ['a point beyond all', documentText('', '', objectText('car', '', [[1e9, 1]])), 'is no number'],
  [
    'a document of labelImg',
    '<annotation>\n<object><name>car</name><bndbox><xmin>1</xmin></bndbox></object></annotation>',
    'a.xml: object 1: <polygon> or <segm> is missing, looks like Pascal VOC',
  ],
])('a LabelMe import refuses %s', async (_, document, message) => {
  await expect(imported({ 'a.xml': document })).rejects.toThrow(message)
  await expect(imported({ 'a.xml': document })).rejects.toThrow(/ at line \d+$/)
})

test('a collection with random damage is imported or refused with a FormatError', async () => {
  const mask = '<object><name>car</name><segm><mask>m.png</mask></segm></object>'
  const parts = '<occluded>no</occluded><attributes>wet, a="b"</attributes><id>1</id>'
  const related = `${parts}<parts><hasparts>2</hasparts><ispartof></ispartof></parts>`
  const files = {
    'train/a.xml': documentText('a.jpg', '', objectText('car', related), mask),
    'train/a.jpg': 'x',
    'train/Masks/m.png': writeRgbPng(100, 80, new Uint32Array(8000).fill(7, 100, 300)),
    'val/b.xml': documentText(
      'b.jpg',
      '',
      `${car.replace('<polygon>', '<type>bounding_box</type><polygon>')}`,
    ),
    'val/b.jpg': 'x',
  }
  const known = ['car', 'tree'].map((name, id) => labelOf({ id, name }))
  await expectReadOrRefused(labelMe, files, targetOf(known, framesOf(['a.jpg', 'b.jpg'])))
})
