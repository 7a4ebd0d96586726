import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
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
import { kitti } from '../kitti.ts'

/**
 * Archives of the dataset and of other tools: each is imported, or refused with a message that names the valid form.
 */

const labels = ['Car', 'Pedestrian', 'road', 'car', 'Person sitting'].map((name, at) =>
  labelOf({ id: at + 1, name }),
)
const target = targetOf(labels, framesOf(['training/image_2/000008.png', '000008_10.png'], 4, 1))
const read = async (files: NamedFiles) =>
  importBytes(kitti, await zipOf(files), target, { conv_mask_to_poly: false })

const car = 'Car 0.88 3 -0.69 0.00 192.37 402.31 374.00 1.60 1.57 3.23 -2.70 1.74 3.68 -1.29'
const dontCare = 'DontCare -1 -1 -10 503.89 169.71 590.61 190.13 -1 -1 -1 -1000 -1000 -1000 -10'
const grey = (...values: number[]) => writeGrey16Png(4, 1, Uint16Array.from(values))

describe('a KITTI import accepts', () => {
  const box = [0, 'rectangle', 1]
  const cases: [string, NamedFiles, unknown[][]][] = [
    [
      'the tree for boxes, with calibration and clouds',
      {
        'training/label_2/000008.txt': `${car}\n${dontCare}\n`,
        'training/calib/000008.txt': 'P0: 7.070493e+02 0.000000e+00\n',
        'training/velodyne/000008.bin': 'x',
        'training/image_2/000008.png': 'x',
      },
      [box],
    ],
    ['results with scores', { 'label_2/000008.txt': `${car} 0.97\n` }, [box]],
    [
      'tabs, line ends of Windows, a mark, and no last line end',
      { 'data\\label_2\\000008.txt': `\ufeff${car.replaceAll(' ', '\t')}\r\n\r\n${car}` },
      [box, box],
    ],
    [
      'a type with a blank written without',
      { 'training/label_2/000008.txt': car.replace('Car', 'Person_sitting') },
      [[0, 'rectangle', 5]],
    ],
    ['subsets within the folder', { 'label_2/val/000008.txt': car }, [box]],
    [
      'a box beyond the image',
      { 'training/label_2/000008.txt': car.replace('0.00', '-12.50') },
      [box],
    ],
    ['an image without objects', { 'training/label_2/000007.txt': `${dontCare}\n` }, []],
    [
      'the tree for masks',
      {
        'training/instance/000008_10.png': grey(0, 26 * 256 + 1, 26 * 256 + 2, 7 * 256),
        'training/semantic/000008_10.png': grey(0, 26, 26, 7),
        'training/semantic_rgb/000008_10.png': writeRgbPng(4, 1, [0, 0x8e, 0x8e, 0x804080]),
        'training/image_2/000008_10.png': 'x',
      },
      [
        [1, 'mask', 4],
        [1, 'mask', 4],
        [1, 'mask', 3],
      ],
    ],
    [
      'classes alone',
      { 'training/semantic/000008_10.png': grey(0, 26, 26, 7) },
      [
        [1, 'mask', 4],
        [1, 'mask', 3],
      ],
    ],
  ]
  test.each(cases)('%s', async (_, files, expected) => {
    const { shapes } = await read(files)
    expect(shapes.map(({ frame, type, label_id }) => [frame, type, label_id])).toEqual(expected)
  })
})

test('swapped corners of a box are reordered', async () => {
  const { shapes, report } = await read({ 'label_2/000008.txt': car.replace('402.31', '-4') })
  expect(shapes.map(({ points: [left = 0, , right = 0] }) => left < right)).toEqual([true])
  expect(report.entries).toMatchObject([{ code: 'dropped-attribute' }])
})

describe('a KITTI import refuses', () => {
  const file = 'training/label_2/000008.txt'
  const cases: [string, NamedFiles, string][] = [
    [
      'a line of the tracking set',
      { [file]: `0 1 ${car}` },
      `${file}: 17 columns, expected 15 or 16 at line 1`,
    ],
    [
      'a type with a blank',
      { [file]: car.replace('Car', 'Person sitting here') },
      `${file}: 17 columns, expected 15 or 16 at line 1`,
    ],
    ['NaN', { [file]: car.replace('402.31', 'NaN') }, `${file}: box: "NaN" is no number within`],
    [
      'Infinity',
      { [file]: car.replace('402.31', 'inf') },
      `${file}: box: "inf" is no number within`,
    ],
    [
      'the tracking tree',
      { 'training/label_02/0000.txt': car },
      'no KITTI annotations: expected <subset>/label_2/<image>.txt',
    ],
    [
      'lines of YOLO',
      { [file]: '0 0.5 0.5 0.1 0.1\n' },
      `${file}: 5 columns, expected 15 or 16 at line 1`,
    ],
    [
      'a palette for instances',
      {
        'training/instance/000008_10.png': writePalettePng(4, 1, new Uint8Array(4), [{ color: 0 }]),
      },
      'training/instance/000008_10.png: instances have to be grey of 16 bits',
    ],
    [
      'a class of nobody',
      { 'training/semantic/000008_10.png': grey(0, 99, 99, 0) },
      'training/semantic/000008_10.png: class 99 (2 pixels) is none of the 35 labels',
    ],
    [
      'an image of another size',
      { 'training/semantic/000008_10.png': writeGrey16Png(2, 1, new Uint16Array(2)) },
      'mask of 2 x 1 pixels on a frame of 4 x 1',
    ],
    [
      'a type of nobody',
      { [file]: car.replace('Car', 'Tram') },
      "Label 'Tram' is not registered for this task",
    ],
  ]
  test.each(cases)('%s', async (_, files, message) => {
    await expect(read(files)).rejects.toThrow(message)
    await expect(read(files)).rejects.toMatchObject({ name: 'FormatError' })
  })
})

test('a training tree and a testing tree become two subsets of a project', async () => {
  const bytes = await zipOf({
    'data_object/training/label_2/000008.txt': `${car}\n${dontCare}\n`,
    'data_object/training/image_2/000008.png': 'x',
    'data_object/training/image_2/000009.png': 'x',
    'data_object/testing/image_2/000000.png': 'x',
  })
  const dataset = await kitti.importer?.openDataset?.(sourceOf(bytes), createRun().run)
  expect(dataset?.labels.map(({ name }) => name)).toEqual(['Car'])
  expect(dataset?.subsets.map(({ name, images }) => [name, images.length])).toEqual([
    ['testing', 1],
    ['training', 2],
  ])
})

test('two trees with the same name are refused in a project, because images would be lost', async () => {
  const bytes = await zipOf({
    'a/training/label_2/000008.txt': car,
    'a/training/image_2/000008.png': 'x',
    'b/training/label_2/000008.txt': car,
    'b/training/image_2/000008.png': 'y',
  })
  await expect(kitti.importer?.openDataset?.(sourceOf(bytes), createRun().run)).rejects.toThrow(
    'subset training: a/training/image_2/000008.png and b/training/image_2/000008.png are both called 000008.png',
  )
})
