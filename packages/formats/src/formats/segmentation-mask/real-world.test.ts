import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import { paletteColor } from '../../image/colors.ts'
import { writeGrey16Png, writePalettePng, writeRgbPng } from '../../image/png.ts'
import {
  createRun,
  framesOf,
  importBytes,
  labelOf,
  type NamedFiles,
  targetOf,
  zipOf,
} from '../../testing/run.ts'
import { segmentationMask } from '../segmentation-mask.ts'

/**
 * Archives of other tools and public datasets: each is imported, or refused with a message that names the valid form.
 */

const labels = [
  labelOf({ id: 1, name: 'person', color: '#c08080' }),
  labelOf({ id: 2, name: 'car', color: '#0000ff' }),
]
const target = targetOf(labels, framesOf(['2007_000032.jpg'], 4, 1))
const read = async (files: NamedFiles) =>
  importBytes(segmentationMask, await zipOf(files), target, { conv_mask_to_poly: false })

/** The VOC palette: its last colour is the border of objects. */
const palette = Array.from({ length: 256 }, (_, index) => ({ color: paletteColor(index) }))
const indexed = (...indexes: number[]) => writePalettePng(4, 1, Uint8Array.from(indexes), palette)
const rgb = (...colors: number[]) => writeRgbPng(4, 1, colors)
const grey = (...values: number[]) => writeGrey16Png(4, 1, Uint16Array.from(values))
const name = '2007_000032'
const list = { 'ImageSets/Segmentation/train.txt': `${name}\r\n` }

describe('a Segmentation mask import accepts', () => {
  const person = [1, 0, 1, 1, 0, 1, 0]
  const cases: [string, NamedFiles, number[][]][] = [
    [
      'the tree of VOC2012: persons are apart by their border',
      {
        'VOCdevkit/VOC2012/ImageSets/Segmentation/train.txt': `${name}\n`,
        'VOCdevkit/VOC2012/ImageSets/Segmentation/trainval.txt': `${name}\n`,
        'VOCdevkit/VOC2012/ImageSets/Main/person_train.txt': `${name}  1\n`,
        [`VOCdevkit/VOC2012/SegmentationClass/${name}.png`]: indexed(15, 255, 15, 0),
        [`VOCdevkit/VOC2012/SegmentationObject/${name}.png`]: indexed(1, 255, 2, 0),
        [`VOCdevkit/VOC2012/JPEGImages/${name}.jpg`]: 'x',
        [`VOCdevkit/VOC2012/Annotations/${name}.xml`]: '<annotation/>',
      },
      [
        [1, 0, 1, 0, 0, 0, 0],
        [1, 0, 1, 2, 0, 2, 0],
      ],
    ],
    [
      'masks of CamVid with a map, and no objects',
      {
        'labelmap.txt': 'Void:0,0,0::\r\ncar:64,0,128::\r\nperson:64,64,0::\r\n',
        [`SegmentationClass/${name}.png`]: rgb(0, 0x404000, 0x400080, 0),
      },
      [person, [2, 0, 1, 2, 0, 2, 0]],
    ],
    [
      'colours of the labels of the task',
      { ...list, [`SegmentationClass/${name}.png`]: rgb(0, 0xc08080, 0, 0) },
      [person],
    ],
    [
      'grey indexes of a map',
      {
        'labelmap.txt': 'background:0,0,0::\nperson:1,1,1::\n',
        [`SegmentationClass/${name}.png`]: grey(0, 1, 255, 0),
      },
      [person],
    ],
    [
      'a list of names with extension',
      {
        'ImageSets/Segmentation/val.txt': `${name}.jpg\n`,
        [`SegmentationClass/${name}.png`]: indexed(0, 15, 0, 0),
      },
      [person],
    ],
    [
      'a folder of Windows, and names in capitals',
      { [`data\\SegmentationClass\\${name}.PNG`]: indexed(0, 15, 0, 0) },
      [person],
    ],
    [
      'what labelme writes beside',
      {
        [`SegmentationClass/${name}.npy`]: 'x',
        [`SegmentationClassPNG/${name}.png`]: indexed(0, 15, 0, 0),
      },
      [person],
    ],
    [
      'names of labelme2voc, whose colours are those of their places',
      {
        'class_names.txt': '_background_\ncar\nperson\n',
        [`SegmentationClassPNG/${name}.png`]: indexed(0, 2, 1, 255),
        [`SegmentationObjectPNG/${name}.png`]: indexed(0, 1, 2, 255),
      },
      [person, [2, 0, 1, 2, 0, 2, 0]],
    ],
    [
      'a map without colours, and without the background',
      {
        'labelmap.txt': 'car:::\nperson:::\n',
        [`SegmentationClass/${name}.png`]: indexed(0, 2, 1, 0),
      },
      [person, [2, 0, 1, 2, 0, 2, 0]],
    ],
    [
      'a map beside the folder of the set',
      {
        'labelmap.txt': 'background:0,0,0::\ncar:128,0,0::\nperson:0,128,0::\n',
        [`data/SegmentationClass/${name}.png`]: indexed(0, 2, 1, 0),
      },
      [person, [2, 0, 1, 2, 0, 2, 0]],
    ],
    [
      'a map that has the border as a label',
      {
        'labelmap.txt': 'bg:0,0,0::\nperson:128,0,0::\nvoid:224,224,192::\n',
        [`SegmentationClass/${name}.png`]: indexed(0, 1, 255, 0),
      },
      [person],
    ],
    [
      'an object over two classes',
      {
        [`SegmentationClass/${name}.png`]: rgb(0, 0xc08080, 0x0000ff, 0),
        [`SegmentationObject/${name}.png`]: rgb(0, 7, 7, 0),
      },
      [person, [2, 0, 1, 2, 0, 2, 0]],
    ],
    ['an image without a mask', list, []],
  ]
  test.each(cases)('%s', async (_, files, expected) => {
    const { shapes } = await read(files)
    expect(shapes.map(({ label_id, points }) => [label_id, ...points])).toEqual(expected)
  })
})

test('pixels with a class but without an object are reported', async () => {
  const { shapes, report } = await read({
    [`SegmentationClass/${name}.png`]: indexed(15, 15, 0, 0),
    [`SegmentationObject/${name}.png`]: indexed(1, 0, 0, 0),
  })
  expect(shapes).toHaveLength(1)
  expect(report.entries).toMatchObject([
    { code: 'degenerate-shape', reason: "pixels of class 'person' are of no object", count: 1 },
  ])
})

describe('a Segmentation mask import refuses', () => {
  const cases: [string, NamedFiles, string][] = [
    [
      'black and white',
      { [`SegmentationClass/${name}.png`]: grey(0, 255, 255, 0) },
      `SegmentationClass/${name}.png: all that is drawn has the value 255, which is the border of objects: expected the indexes of labels`,
    ],
    [
      'white on black',
      { [`SegmentationClass/${name}.png`]: rgb(0, 0xffffff, 0, 0) },
      `SegmentationClass/${name}.png: no label has the colour 255,255,255 (1 pixels)`,
    ],
    [
      'colours of a JPEG',
      { ...list, [`SegmentationClass/${name}.jpg`]: 'x' },
      `SegmentationClass/${name}.jpg: masks have to be PNG pictures`,
    ],
    [
      'pictures in the folder of a set that was added to VOC',
      { ...list, [`SegmentationClassAug/${name}.png`]: grey(0, 15, 15, 0) },
      `SegmentationClassAug/${name}.png: masks have to be in SegmentationClass and SegmentationObject`,
    ],
    [
      'a list of paths',
      {
        'ImageSets/Segmentation/train.txt': `/JPEGImages/${name}.jpg /SegmentationClass/${name}.png\n`,
        [`SegmentationClass/${name}.png`]: indexed(0, 15, 0, 0),
      },
      `ImageSets/Segmentation/train.txt: it has none of the masks, expected lines like "${name}"`,
    ],
    [
      'two sets in one archive',
      {
        [`VOCdevkit/VOC2007/SegmentationClass/${name}.png`]: indexed(0, 15, 0, 0),
        'VOCdevkit/VOC2012/SegmentationClass/b.png': indexed(0, 15, 0, 0),
      },
      'there are masks in VOCdevkit/VOC2007/ and VOCdevkit/VOC2012/: send one of them',
    ],
    [
      'masks of Roboflow beside their images',
      { 'train/a.jpg': 'x', 'train/a_mask.png': grey(0, 1, 0, 0), 'train/_classes.csv': '0, a' },
      'no segmentation masks: expected ImageSets/Segmentation/<subset>.txt or SegmentationClass/<image>.png',
    ],
    [
      'objects without classes',
      { ...list, [`SegmentationObject/${name}.png`]: indexed(0, 1, 2, 0) },
      `SegmentationObject/${name}.png: there is no picture of classes beside it`,
    ],
    [
      'a class of VOC that the task has not',
      { [`SegmentationClass/${name}.png`]: indexed(0, 1, 0, 0) },
      "Label 'aeroplane' is not registered for this task",
    ],
    [
      'folders of CamVid',
      { 'trainannot/0001.png': rgb(0, 0, 0, 0) },
      'no segmentation masks: expected ImageSets/Segmentation/<subset>.txt or SegmentationClass/<image>.png',
    ],
    [
      'a JPEG that is called PNG',
      { [`SegmentationClass/${name}.png`]: Buffer.from('\xff\xd8\xff', 'latin1') },
      `SegmentationClass/${name}.png: the PNG picture cannot be read: it is none`,
    ],
    [
      'a map with colours in words',
      { 'labelmap.txt': 'car:blue::\n', [`SegmentationClass/${name}.png`]: rgb(0, 0, 0, 0) },
      'labelmap.txt: "blue" is no colour r,g,b at line 1',
    ],
  ]
  test.each(cases)('%s', async (_, files, message) => {
    await expect(read(files)).rejects.toThrow(message)
    await expect(read(files)).rejects.toMatchObject({ name: 'FormatError' })
  })
})

test('a list of names with extension finds its images in a project', async () => {
  const bytes = await zipOf({
    'ImageSets/Segmentation/val.txt': `${name}.jpg\n`,
    [`SegmentationClass/${name}.png`]: indexed(0, 15, 0, 0),
    [`JPEGImages/${name}.jpg`]: 'x',
  })
  const dataset = await segmentationMask.importer?.openDataset?.(sourceOf(bytes), createRun().run)
  expect(dataset).toMatchObject({
    labels: [{ name: 'person' }],
    subsets: [{ name: 'val', images: [{ name: `${name}.jpg` }] }],
  })
})
