import { expect, test } from 'vitest'
import { guessFormat } from './guess-format.ts'

const formats = [
  ['COCO 1.0', 'JSON, ZIP'],
  ['PASCAL VOC 1.1', 'ZIP'],
  ['Segmentation mask 1.1', 'ZIP'],
  ['Service 1.1', 'XML, ZIP'],
  ['YOLO 1.1', 'ZIP'],
].map(([name = '', ext = '']) => ({
  name,
  ext,
  version: '1.0',
  enabled: true,
  dimension: '2d' as const,
  kinds: [],
  tracks: false,
  attributes: false,
  options: [],
}))

test.each([
  ['task_12_annotations_2026_coco 1.0.zip', 'COCO 1.0'],
  ['streets-YOLO.zip', 'YOLO 1.1'],
  ['instances_train2017.zip', 'COCO 1.0'],
  ['pascal.zip', 'PASCAL VOC 1.1'],
  ['annotations.xml', 'Service 1.1'],
  ['annotations.json', 'COCO 1.0'],
  ['things.zip', undefined],
  ['yolo.rar', undefined],
])('the guessed format of %s is %s', (filename, format) => {
  expect(guessFormat(filename, formats)?.name).toBe(format)
})
