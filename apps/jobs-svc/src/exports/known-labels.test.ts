import { labelOf } from '@reticle/contracts/testing/records'
import { expect, test } from 'vitest'
import { exportTask, keyframe, shapeLine, tagLine, trackLine } from '../testing/exported.ts'
import { testStore } from '../testing/run.ts'

const store = await testStore()
const joint = labelOf({ id: 3, name: 'joint', type: 'points', has_parent: true })
const labels = [labelOf({ id: 1 }), labelOf({ id: 2, type: 'skeleton', sublabels: [joint] })]

const point = { type: 'points' as const, points: [5, 5] }
const element = (label_id: number) => ({
  ...keyframe(point),
  id: 70,
  label_id,
  group: 0,
  source: 'manual' as const,
  score: 1,
})
const part = (label_id: number) => ({
  id: 90,
  frame: 0,
  label_id,
  group: 0,
  source: 'manual' as const,
  attributes: [],
  shapes: [keyframe(point)],
})
const skeleton = { label_id: 2, type: 'skeleton' as const, points: [] }

const formats = [
  'COCO 1.0',
  'KITTI 1.0',
  'LabelMe 3.0',
  'MOT 1.1',
  'Segmentation mask 1.1',
  'Service 1.1',
  'Pascal VOC 1.1',
  'YOLO 1.1',
  'TFRecord 1.0',
]

test.each(formats)(
  'an object of an unknown label fails an export as %s with a transient error',
  async (format) => {
    const lines = [shapeLine(), shapeLine({ id: 8, frame: 1, label_id: 45 })]
    const exporting = exportTask(format, { store, labels, lines, size: 2 })
    await expect(exporting).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('A shape on frame 1 has the label #45'),
    })
  },
)

test.each([
  ['tag', tagLine({ label_id: 45 })],
  ['track', trackLine([{}], { label_id: 45 })],
  ['shape', shapeLine({ ...skeleton, elements: [element(3), element(45)] })],
  ['track', trackLine([skeletonKeyframe()], { label_id: 2, elements: [part(45)] })],
])('a %s or an element of it with an unknown label fails too', async (kind, line) => {
  const exporting = exportTask('COCO 1.0', { store, labels, lines: [line], size: 2 })
  await expect(exporting).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining(`A ${kind} on frame 0 has the label #45`),
  })
})

test('objects and elements of known labels are exported', async () => {
  const lines = [
    shapeLine(),
    shapeLine({ ...skeleton, id: 71, elements: [element(3)] }),
    trackLine([skeletonKeyframe()], { label_id: 2, elements: [part(3)] }),
  ]
  const { report } = await exportTask('Service 1.1', { store, labels, lines, size: 1 })
  expect(report).toMatchObject({ created: { shapes: 2, tracks: 1 }, dropped: 0 })
})

function skeletonKeyframe() {
  return keyframe({ type: 'skeleton', points: [] })
}
