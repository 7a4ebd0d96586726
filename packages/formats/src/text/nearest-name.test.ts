import { expect, test } from 'vitest'
import { describeUnknown, formats } from '../registry.ts'
import { nearestName } from './nearest-name.ts'

const known = formats.map(({ name, aliases }): [string, ...string[]] => [name, ...aliases])

test.each([
  ['COCO', 'COCO 1.0'],
  ['coco 2.0', 'COCO 1.0'],
  ['COCO Keypoints 1.0', 'COCO 1.0'],
  ['cocco', 'COCO 1.0'],
  ['YOLOv8', 'YOLO 1.1'],
  ['Ultralytics YOLO Detection 1.0', 'YOLO 1.1'],
  ['VOC', 'Pascal VOC 1.1'],
  ['PascalVOC', 'Pascal VOC 1.1'],
  ['pascal_voc 1.0', 'Pascal VOC 1.1'],
  ['CVAT', 'Service 1.1'],
  ['CVAT for image 1.1', 'Service for images 1.1'],
  ['cvat for vidoe', 'Service for video 1.1'],
  ['Label Me', 'LabelMe 3.0'],
  ['Segmentation masks', 'Segmentation mask 1.1'],
  ['MOTS PNG 1.0', 'MOT 1.1'],
  ['kiti', 'KITTI 1.0'],
])('"%s" is nearest to %s', (given, expected) => {
  expect(known.map(([name]) => name)).toContain(expected)
  expect(nearestName(given, known)).toBe(expected)
})

test.each(['', 'x', 'Datumaro 1.0', '1.0', '💥', 'q'.repeat(100_000)])(
  '"%.20s" has no similar name',
  (given) => {
    expect(nearestName(given, known)).toBeUndefined()
  },
)

test('the message for an unknown name lists only formats of the same direction', () => {
  expect(describeUnknown('yolo', 'exporter')).toMatch(
    /^Did you mean 'YOLO 1\.1'\? Formats for export: COCO 1\.0, .*YOLO 1\.1\.$/,
  )
  const importers = formats.filter(({ importer }) => importer).map(({ name }) => name)
  for (const name of importers) expect(describeUnknown('?', 'importer')).toContain(name)
  for (const { name, exporter } of formats)
    expect(describeUnknown('?', 'exporter').includes(name), name).toBe(exporter !== undefined)
})
