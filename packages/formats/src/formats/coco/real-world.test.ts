import { encodeRuns } from '@reticle/geometry'
import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import { writeRgbPng } from '../../image/png.ts'
import {
  collectAll,
  createRun,
  framesOf,
  importBytes,
  labelOf,
  targetOf,
  zipOf,
} from '../../testing/run.ts'
import { coco } from '../coco.ts'
import { openCocoDataset } from './dataset.ts'

/**
 * Files in the variants of other tools and public datasets: each is imported, or refused with a message that names
 * the valid form.
 */

const labels = [labelOf({ id: 1, name: 'person' }), labelOf({ id: 2, name: 'car' })]
const target = targetOf(labels, framesOf(['000000000139.jpg', 'set 1/b.jpg']))
const ring = [1, 1, 9, 1, 9, 9]
const text = encodeRuns([0, 8, 7992])
const categories = [
  { supercategory: 'none', id: 0, name: 'objects' },
  { supercategory: 'person', id: 1, name: 'person' },
  { supercategory: 'vehicle', id: 3, name: 'car' },
]

interface Change {
  image?: object
  annotation?: object
  rest?: object
}

/** A document with one box of a person on the first frame, with changes. */
function documentOf({ image, annotation, rest }: Change = {}) {
  const one = { id: 900100000139, image_id: 139, category_id: 1, bbox: [1, 2, 3, 4], iscrowd: 0 }
  return {
    info: { year: '2026' },
    annotations: [{ ...one, area: 12, ...annotation }],
    images: [{ id: 139, file_name: '000000000139.jpg', ...image }],
    categories,
    ...rest,
  }
}

const read = (content: string | Uint8Array) => importBytes(coco, content, target)
const textOf = (change: Change = {}) => JSON.stringify(documentOf(change))

describe('a COCO import accepts', () => {
  const accepted: [string, Change, string[]][] = [
    ['an image of the official set', {}, ['rectangle']],
    [
      'a crowd',
      { annotation: { segmentation: { counts: text, size: [80, 100] }, iscrowd: 1 } },
      ['mask'],
    ],
    ['rings', { annotation: { segmentation: [ring, ring] } }, ['polygon', 'polygon']],
    [
      'a list of runs',
      { annotation: { segmentation: [{ counts: text, size: [80, 100] }] } },
      ['mask'],
    ],
    ['an empty ring', { annotation: { segmentation: [[]] } }, ['rectangle']],
    [
      'no width, no info, no iscrowd',
      { rest: { info: null }, annotation: { iscrowd: undefined } },
      ['rectangle'],
    ],
    [
      'ids as texts',
      { image: { id: '139' }, annotation: { id: '7', category_id: '1' } },
      ['rectangle'],
    ],
    [
      'ids that are names',
      { image: { id: 'x-1' }, annotation: { id: 'a', image_id: 'x-1' } },
      ['rectangle'],
    ],
    [
      'an image of LVIS',
      { image: { file_name: undefined, coco_url: 'http://h/val2017/000000000139.jpg' } },
      ['rectangle'],
    ],
    [
      'an address with a query',
      { image: { file_name: 'https://h/d/000000000139.jpg?sig=a/b' } },
      ['rectangle'],
    ],
    [
      'a signed address of a name with blanks',
      { image: { file_name: 'https://h/x%20y/b.jpg' } },
      ['rectangle'],
    ],
    ['a path of Windows', { image: { file_name: 'C:\\data\\set 1\\b.jpg' } }, ['rectangle']],
    [
      'a path of Label Studio',
      { image: { file_name: '../../label-studio/data/upload/1/b.jpg' } },
      ['rectangle'],
    ],
    ['a keypoint file', { annotation: { keypoints: [1, 1, 2], num_keypoints: 1 } }, ['rectangle']],
    [
      'fields of CVAT and Roboflow',
      {
        image: { license: 0, date_captured: '2026', extra: { name: 'x' } },
        annotation: { attributes: { occluded: false, rotation: 12.5 } },
      },
      ['rectangle'],
    ],
    ['attributes of PHP, where there are none', { annotation: { attributes: [] } }, ['rectangle']],
    ['a box beyond the image', { annotation: { bbox: [-5, -5, 500, 500] } }, ['rectangle']],
  ]
  test.each(accepted)('%s', async (_, change, types) => {
    const { shapes } = await read(textOf(change))
    expect(shapes.map(({ type }) => type)).toEqual(types)
  })

  test('a crowd of a keypoint file without keypoints, and reports nothing', async () => {
    const annotation = { keypoints: [0, 0, 0, 0, 0, 0], num_keypoints: 0 }
    const { shapes, report } = await read(textOf({ annotation }))
    expect([shapes.length, report.entries]).toEqual([1, []])
  })

  test('a file with a byte order mark, Windows line ends and whitespace', async () => {
    const pretty = JSON.stringify(documentOf(), null, '\t').replaceAll('\n', '\r\n')
    expect((await read(`\ufeff${pretty}\r\n\r\n`)).shapes).toHaveLength(1)
  })

  test.each([
    ['Windows', 'my export\\annotations\\instances_val2017.json', 'my export\\images\\a.jpg'],
    [
      'macOS',
      'annotations/instances_default.json',
      '__MACOSX/annotations/._instances_default.json',
    ],
    ['Roboflow', 'train/_annotations.coco.json', 'README.roboflow.txt'],
    ['Roboflow without splits', '_annotations.coco.json', '000000000139.jpg'],
    ['Label Studio', 'result.json', 'images/000000000139.jpg'],
    ['FiftyOne', 'labels.json', 'data/000000000139.jpg'],
    ['LVIS', 'lvis_v1_val.json', 'README.md'],
    ['MMDetection', 'annotations/train.json', 'train/000000000139.jpg'],
  ])('an archive of %s', async (_, name, other) => {
    const { shapes } = await read(await zipOf({ [name]: textOf(), [other]: 'x' }))
    expect(shapes).toHaveLength(1)
  })
})

describe('a COCO import skips and reports', () => {
  test.each<[string, object, number, string]>([
    [
      'a ring that is a box',
      { segmentation: [[1, 2, 3, 4]], bbox: [] },
      0,
      'the shape has no area',
    ],
    [
      'one of several rings',
      { segmentation: [ring, [1, 2]] },
      1,
      'a part of the shape has no area',
    ],
    ['a box of negative width', { bbox: [5, 5, -3, 4] }, 0, 'the shape has no area'],
    ['keypoints', { keypoints: [1, 1, 2] }, 1, 'keypoints are not read'],
    ['a score in percent', { score: 97 }, 1, 'a score is not between 0 and 1, it is left out'],
  ])('%s', async (_, annotation, count, reason) => {
    const { shapes, report } = await read(textOf({ annotation }))
    expect([shapes.length, report.entries.map((entry) => entry.reason)]).toEqual([count, [reason]])
  })
})

describe('a COCO import refuses', () => {
  const panoptic = {
    image_id: 139,
    file_name: '139.png',
    segments_info: [{ id: 7, category_id: 1 }],
  }
  const rest = { annotations: [panoptic] }
  const refused: [string, string | Record<string, string>, string][] = [
    [
      'a file of results',
      '[{"image_id":139,"category_id":1,"bbox":[1,2,3,4],"score":0.9}]',
      'annotations.json: expected an object with images and annotations at byte 0',
    ],
    [
      'a file of captions',
      textOf({ rest: { categories: undefined } }),
      'annotations.json: expected an object with images, categories, annotations: categories missing',
    ],
    ['a file of image infos', textOf({ rest: { annotations: undefined } }), 'annotations missing'],
    [
      'an archive of captions',
      { 'annotations/captions_val2017.json': textOf() },
      'no instances in annotations/captions_val2017.json',
    ],
    [
      'a panoptic file alone',
      textOf({ rest }),
      'annotations.json: annotations[0]: its pictures are missing: send them in a ZIP',
    ],
    [
      'the official panoptic archive',
      {
        'annotations/panoptic_val2017.json': textOf({ rest }),
        'annotations/panoptic_val2017.zip': 'x',
      },
      'annotations/panoptic_val2017/139.png: the picture is missing: it may be in annotations/panoptic_val2017.zip, unpack that into a folder',
    ],
    ['NaN', textOf().replace('"area":12', '"area":NaN'), 'annotations.json: annotations[0]: '],
    [
      'Infinity',
      textOf().replace('[1,2,3,4]', '[1,2,1e999,4]'),
      'annotation 900100000139: bbox[2] is Infinity, expected a finite number',
    ],
    [
      'a cut file',
      textOf().slice(0, 200),
      'annotations.json: categories[0]: the text ends too early at byte 200',
    ],
    [
      'a file of labelme',
      '{"version":"5","shapes":[],"imagePath":"a.jpg"}',
      'images, categories, annotations missing',
    ],
    [
      'an image of another task',
      textOf({ image: { file_name: 'c3b4-000000000139.jpg' } }),
      '1 annotated item has no matching frame in this task: c3b4-000000000139.jpg',
    ],
    [
      'a label of nobody',
      textOf({ annotation: { category_id: 0 } }),
      "Label 'objects' is not registered for this task",
    ],
    [
      'run lengths of another way round',
      textOf({ annotation: { segmentation: { counts: text, size: [100, 80] } } }),
      'annotation 900100000139: mask of 80 x 100 pixels on a frame of 100 x 80',
    ],
    [
      'attributes as a list',
      textOf({ annotation: { attributes: [{ name: 'a', value: 1 }] } }),
      'annotation 900100000139: attributes is [{"name":"a","value":1}], expected an object',
    ],
    [
      'a picture in the way of YOLO',
      { 'labels/a.txt': '0 .5 .5 1 1' },
      'no COCO annotations: expected annotations/instances_<subset>.json',
    ],
  ]
  test.each(refused)('%s', async (_, content, message) => {
    const bytes = typeof content === 'string' ? content : await zipOf(content)
    await expect(read(bytes)).rejects.toThrow(message)
    await expect(read(bytes)).rejects.toMatchObject({ name: 'FormatError' })
  })
})

describe('a COCO import into a project', () => {
  const open = async (files: Record<string, string | Uint8Array>) =>
    openCocoDataset(sourceOf(await zipOf(files)), createRun().run)

  test('reads subsets, images and labels of a panoptic archive', async () => {
    const segments = [
      { id: 7, category_id: 1 },
      { id: 9, category_id: 3 },
    ]
    const annotations = [{ image_id: 139, file_name: '139.png', segments_info: segments }]
    const image = { width: 2, height: 1 }
    const { subsets } = await open({
      'annotations/panoptic_val.json': JSON.stringify({ ...documentOf({ image }), annotations }),
      'panoptic_val/139.png': writeRgbPng(2, 1, [0x070000, 0x090000]),
      'val/000000000139.jpg': 'x',
    })
    expect(subsets).toMatchObject([{ name: 'val', images: [{ member: 'val/000000000139.jpg' }] }])
    const frames = targetOf(labels, framesOf(['000000000139.jpg'], 2, 1))
    const found = await collectAll(subsets[0]?.importAnnotations(frames, createRun().run))
    expect(found).toMatchObject([
      { shape: { label_id: 1, points: [0, 1, 0, 0, 0, 0] } },
      { shape: { label_id: 2, points: [0, 1, 1, 0, 1, 0] } },
    ])
  })

  test('finds images with equal names in files named after subsets', async () => {
    const image = { file_name: '1.jpg' }
    const { subsets } = await open({
      'annotations/train.json': textOf({ image }),
      'annotations/val.json': textOf({ image }),
      'train/1.jpg': 'x',
      'val/1.jpg': 'x',
    })
    expect(subsets.map(({ name, images }) => [name, images[0]?.member])).toEqual([
      ['train', 'train/1.jpg'],
      ['val', 'val/1.jpg'],
    ])
  })
})
