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
import { attributesText, documentText, objectText } from '../../testing/voc.ts'
import { voc } from '../voc.ts'
import { openVocDataset } from './dataset.ts'

/** Archives in the variants of other tools, and as users pack them. */

type Found = Record<string, Record<string, string>>

const box = objectText({ name: 'car' })
const one = documentText(box)
const two = documentText(box, box)

/** Returns the number of boxes and tags for each image that has any: `2+1`. */
async function countsOf(imported: AsyncIterable<unknown>, names: readonly string[]) {
  const counts = names.map(() => ({ shape: 0, tag: 0 }))
  for await (const one of imported) {
    const { kind, shape, tag } = one as { kind: 'shape' | 'tag'; shape?: At; tag?: At }
    const count = counts[(shape ?? tag)?.frame ?? -1]
    if (count) count[kind] += 1
  }
  return Object.fromEntries(
    counts.map(({ shape, tag }, at) => [names[at] ?? '', tag > 0 ? `${shape}+${tag}` : `${shape}`]),
  )
}
interface At {
  frame: number
}

/** Imports into a task with these frames. */
async function imported(files: NamedFiles, paths: readonly string[]) {
  const target = targetOf([labelOf({ name: 'car' })], framesOf(paths))
  const source = sourceOf(await zipOf(files))
  const read = voc.importer?.importAnnotations(source, target, createRun().run)
  return read ? countsOf(read, paths) : {}
}

/** Imports into a project without labels. */
async function opened(files: NamedFiles): Promise<Found> {
  const { labels, subsets } = await openVocDataset(sourceOf(await zipOf(files)), createRun().run)
  const known = labels.map(({ name }, id) => labelOf({ id, name }))
  const found: Found = {}
  for (const { name, images, importAnnotations } of subsets) {
    const names = images.map((image) => image.name)
    found[name] = await countsOf(
      importAnnotations(targetOf(known, framesOf(names)), createRun().run),
      names,
    )
  }
  return found
}

const inDevkit = (year: string, id: string): NamedFiles => ({
  [`VOCdevkit/${year}/Annotations/${id}.xml`]: one,
  [`VOCdevkit/${year}/JPEGImages/${id}.jpg`]: 'x',
  [`VOCdevkit/${year}/ImageSets/Main/trainval.txt`]: `${id}\n`,
  [`VOCdevkit/${year}/ImageSets/Main/car_trainval.txt`]: `${id}  1\n`,
  [`VOCdevkit/${year}/ImageSets/Layout/trainval.txt`]: `${id} 1\n`,
})

describe('a Pascal VOC archive', () => {
  test.each<[string, NamedFiles, Found]>([
    [
      'of two years of the challenge',
      { ...inDevkit('VOC2007', '000001'), ...inDevkit('VOC2012', '2007_000027') },
      { VOC2007_trainval: { '000001.jpg': '1+1' }, VOC2012_trainval: { '2007_000027.jpg': '1+1' } },
    ],
    [
      'of a tree for each subset, with the same names in them',
      {
        'set/train/Annotations/1.xml': one,
        'set/train/JPEGImages/1.jpg': 'x',
        'set/val/Annotations/1.xml': two,
        'set/val/JPEGImages/1.jpg': 'x',
      },
      { train: { '1.jpg': '1' }, val: { '1.jpg': '2' } },
    ],
    [
      'of VoTT: lists of labels alone, of names of files',
      {
        'Annotations/a.xml': one,
        'Annotations/b.xml': two,
        'JPEGImages/a.jpg': 'x',
        'JPEGImages/b.jpg': 'x',
        'ImageSets/Main/car_train.txt': 'a.jpg 1\n',
        'ImageSets/Main/car_val.txt': 'b.jpg -1\n',
        'pascal_label_map.pbtxt': "item { id: 1 name: 'car' }",
      },
      { default: { 'a.jpg': '1+1', 'b.jpg': '2' } },
    ],
    [
      'with lists of paths, or names with their extension',
      {
        'Annotations/a.xml': one,
        'Annotations/b.xml': two,
        'JPEGImages/a.jpg': 'x',
        'JPEGImages/b.jpg': 'x',
        'ImageSets/Main/train.txt': '/home/u/set/JPEGImages/a.jpg\r\n',
        'ImageSets/Main/val.txt': 'b.jpg\r\n',
      },
      { train: { 'a.jpg': '1' }, val: { 'b.jpg': '2' } },
    ],
    [
      'with one blank or a tab in lists of labels',
      {
        'Annotations/a.xml': one,
        'Annotations/b.xml': one,
        'JPEGImages/a.jpg': 'x',
        'JPEGImages/b.jpg': 'x',
        'ImageSets/Main/train.txt': 'a\nb\n',
        'ImageSets/Main/car_train.txt': 'a 1\nb\t-1\n',
      },
      { train: { 'a.jpg': '1+1', 'b.jpg': '1' } },
    ],
    [
      'with lists that are empty',
      { 'Annotations/a.xml': one, 'JPEGImages/a.jpg': 'x', 'ImageSets/Main/default.txt': '\n' },
      { default: { 'a.jpg': '1' } },
    ],
    [
      'with a list of images whose names end with a number',
      {
        'Annotations/a 1.xml': one,
        'Annotations/a 0.xml': two,
        'JPEGImages/a 1.jpg': 'x',
        'JPEGImages/a 0.jpg': 'x',
        'ImageSets/Main/my_set.txt': 'a 1\na 0\n',
      },
      { my_set: { 'a 1.jpg': '1', 'a 0.jpg': '2' } },
    ],
    [
      'with small letters in its folders, and lists',
      { 'annotations/a.xml': one, 'images/a.jpg': 'x', 'ImageSets/Main/train.txt': 'a\n' },
      { train: { 'a.jpg': '1' } },
    ],
    [
      'of Oxford pets',
      {
        'annotations/xmls/a.xml': documentText('<filename>a.jpg</filename>', box),
        'annotations/xmls/._a.xml': Buffer.from([0, 5]),
        'annotations/trimaps/a.png': 'x',
        'annotations/list.txt': '#',
        'images/a.jpg': 'x',
      },
      { default: { 'a.jpg': '1' } },
    ],
    [
      'of Roboflow, with outlines beside the boxes',
      {
        'train/a_jpg.rf.12ab.xml': documentText(
          box.replace('<bndbox>', '<polygon><x1>1</x1><y1>2</y1></polygon><bndbox>'),
        ),
        'train/a_jpg.rf.12ab.jpg': 'x',
        'README.roboflow.txt': 'v1',
      },
      { default: { 'a_jpg.rf.12ab.jpg': '1' } },
    ],
    [
      'of labelImg, on Windows',
      {
        'set\\A.xml': `\uFEFF${documentText('<path>C:\\set\\A.JPG</path>', box)}`.replaceAll(
          '\n',
          '\r\n',
        ),
        'set\\A.JPG': 'x',
        'set\\Thumbs.db': 'x',
      },
      { default: { 'A.JPG': '1' } },
    ],
    [
      'of ImageNet, whose lists are in folders of their own',
      {
        'ILSVRC/Annotations/CLS-LOC/train/n01/n01_1.xml': one,
        'ILSVRC/Data/CLS-LOC/train/n01/n01_1.JPEG': 'x',
        'ILSVRC/ImageSets/CLS-LOC/train_loc.txt': 'n01/n01_1 1\n',
      },
      { default: { 'CLS-LOC/train/n01/n01_1.JPEG': '1' } },
    ],
    [
      'of Label Studio',
      { 'Annotations/3f-a.xml': one, 'images/3f-a.jpg': 'x' },
      { default: { '3f-a.jpg': '1' } },
    ],
    [
      'of FiftyOne',
      { 'set/labels/a.xml': one, 'set/data/a.jpg': 'x' },
      { default: { 'a.jpg': '1' } },
    ],
    [
      'of an annotation server, labels without colours',
      {
        'Annotations/a.xml': one,
        'JPEGImages/a.jpg': 'x',
        'ImageSets/Main/default.txt': 'a\n',
        'labelmap.txt': '# label:color_rgb:parts:actions\nbackground:::\ncar:::\n',
      },
      { default: { 'a.jpg': '1' } },
    ],
  ])('%s', async (_, files, found) => {
    expect(await opened(files)).toEqual(found)
    const isOfFolders = 'val' in found && files['set/val/JPEGImages/1.jpg'] !== undefined
    const all = Object.entries(found).flatMap(([subset, images]) =>
      Object.entries(images).map(
        ([name, count]) => [isOfFolders ? `${subset}/${name}` : name, count] as const,
      ),
    )
    const expected = Object.fromEntries(all)
    expect(await imported(files, Object.keys(expected))).toEqual(expected)
  })
})

describe('a Pascal VOC import refuses', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['an empty document', '', 'Annotations/a.xml: document must contain a root element'],
    ['a turned box', turned(), 'object 1: <bndbox> is missing, turned boxes as <robndbox> are'],
    ['a place that is none', documentText(objectText({ box: [0, 0, 1e9, 5] })), 'is no number'],
    ['a sign that XML lacks', documentText(objectText({ name: 'a & b' })), 'Annotations/a.xml: '],
    ['the code page of Windows', Buffer.from('<a>\xfc</a>', 'latin1'), 'a.xml: not UTF-8 at line'],
  ])('%s', async (_, document, message) => {
    const attempt = imported({ 'Annotations/a.xml': document }, ['a.jpg'])
    await expect(attempt).rejects.toThrow(message)
    await expect(attempt).rejects.toThrow(/ at line [1-3]$/)
  })
})

function turned(): string {
  const place = '<cx>9</cx><cy>9</cy><w>4</w><h>4</h><angle>0.5</angle>'
  return documentText(`<object><name>car</name><robndbox>${place}</robndbox></object>`)
}

test.each(['a', 'C:\\set\\a.jpg', '/home/u/a.jpg', 'set/a.jpg'])(
  'an image is found by the file name %s in its document',
  async (filename) => {
    const text = documentText(`<filename>${filename}</filename>`, box)
    const files = { 'Annotations/1.xml': text, 'JPEGImages/a.jpg': 'x' }
    expect(await opened(files)).toEqual({ default: { '1.jpg': '1' } })
    expect(await imported(files, ['a.jpg'])).toEqual({ 'a.jpg': '1' })
  },
)

test.each([
  '<size/>',
  '<size><width>0</width><height>0</height><depth/></size>',
  '<size><width>7</width><height>many</height></size>',
])('coordinates of boxes do not depend on the declared size: %s', async (size) => {
  const target = targetOf([labelOf({ name: 'car' })], framesOf(['a.jpg']))
  const bytes = await zipOf({ 'a.xml': documentText(size, box) })
  expect((await importBytes(voc, bytes, target)).shapes).toMatchObject([{ points: [1, 2, 11, 22] }])
})

test('a box beyond the image is kept, and swapped corners are reordered', async () => {
  const text = documentText(
    objectText({ name: 'car', box: [-5, -1e6, 1e6, 9e6] }),
    objectText({ name: 'car', box: [9, 9, 3, 3] }),
  )
  const target = targetOf([labelOf({ name: 'car' })], framesOf(['a.jpg']))
  const { shapes, report } = await importBytes(voc, await zipOf({ 'a.xml': text }), target)
  expect(shapes.map(({ points }) => points)).toEqual([
    [-5, -1e6, 1e6, 9e6],
    [3, 3, 9, 9],
  ])
  expect(report.entries).toEqual([])
})

test('an archive with random damage is imported or refused with a FormatError', async () => {
  const more = `<truncated>1</truncated>${attributesText({ track_id: '1', keyframe: 'True', rotation: '0.5' })}`
  const files = {
    'Annotations/a.xml': documentText(
      '<filename>a.jpg</filename>',
      box,
      objectText({ name: 'car', more }),
    ),
    'Annotations/b.xml': one,
    'ImageSets/Main/train.txt': 'a\nb\n',
    'ImageSets/Main/car_train.txt': 'a  1\nb -1\n',
    'ImageSets/Segmentation/train.txt': 'a\n',
    'JPEGImages/a.jpg': 'x',
    'JPEGImages/b.jpg': 'x',
    'SegmentationClass/a.png': writeRgbPng(100, 80, new Uint32Array(8000).fill(0x800000, 9, 99)),
    'SegmentationObject/a.png': writeRgbPng(100, 80, new Uint32Array(8000).fill(0x008000, 9, 50)),
    'labelmap.txt': 'background:0,0,0::\ncar:128,0,0::\n',
  }
  const target = targetOf([labelOf({ name: 'car' })], framesOf(['a.jpg', 'b.jpg']))
  await expectReadOrRefused(voc, files, target)
})
