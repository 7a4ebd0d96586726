import { expect, test } from 'vitest'
import type { DatasetTag, ItemShape } from '../model/dataset.ts'
import { createRun, framesOf, shapeOf } from '../testing/run.ts'
import { carriesOnly, createLosses, featuresOf } from './losses.ts'

const [frame] = framesOf(['a.jpg'])
const tag: DatasetTag = { frame: 0, label_id: 1, group: 0, source: 'file', attributes: [] }
const attributes = [{ spec_id: 1, value: 'x' }]

function lossesOf(
  about: Parameters<typeof createLosses>[1],
  ...items: { shapes?: ItemShape[]; tags?: DatasetTag[] }[]
) {
  const { run } = createRun()
  const losses = createLosses('X 1.0', about, run)
  const written = items.flatMap(({ shapes = [], tags = [] }) =>
    frame ? losses.written({ index: 0, shapes, tags }, frame) : [],
  )
  const { entries } = run.report.read()
  return { written, notes: entries.map(({ kind, reason, count }) => [kind, reason, count]) }
}

const boxesOnly = carriesOnly({ rectangle: 'kept' })

test('unsupported kinds are left out and reported once for each annotation', () => {
  const box = shapeOf({})
  const { written, notes } = lossesOf(
    { carries: boxesOnly, features: featuresOf('kept') },
    { shapes: [box, shapeOf({ type: 'cuboid' }), shapeOf({ type: 'cuboid' })], tags: [tag] },
  )
  expect(written).toEqual([box])
  expect(notes).toEqual([
    ['dropped', 'X 1.0 has no tags', 1],
    ['dropped', 'X 1.0 has no cuboids', 2],
  ])
})

test('unsupported features of written shapes and tags are reported', () => {
  const carries = carriesOnly({ rectangle: 'kept', tag: 'kept' })
  const full = { group: 2, occluded: true, rotation: 5, z_order: -1, score: 0.5, attributes }
  const { notes } = lossesOf(
    { carries, features: featuresOf('dropped') },
    { shapes: [shapeOf(full), shapeOf({})], tags: [{ ...tag, attributes, group: 3 }, tag] },
  )
  expect(notes).toEqual([
    ['dropped', 'X 1.0 has no attributes', 2],
    ['dropped', 'X 1.0 has no groups', 2],
    ['dropped', 'X 1.0 has no rotation', 1],
    ['dropped', 'X 1.0 does not say what is occluded', 1],
    ['dropped', 'X 1.0 has no z order', 1],
    ['dropped', 'X 1.0 has no scores', 1],
  ])
})

test('a track that becomes shapes is reported once', () => {
  const features = featuresOf('kept', { tracks: 'converted' })
  const shapes = [{ ...shapeOf({}), track_id: 4, keyframe: true }]
  const { notes } = lossesOf({ carries: boxesOnly, features }, { shapes }, { shapes })
  expect(notes).toEqual([['converted', 'tracks are written as shapes of their frames', 1]])
})
