import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import { attributeOf, labelOf } from '@reticle/contracts/testing/records'
import { expect, test } from 'vitest'
import { indexLabels } from '../validation/labels.ts'
import { completeObject } from './complete.ts'

/** A track with two keyframes, and the same track as an element of a skeleton. */
const value = (spec_id: number, text: string) => ({ spec_id, value: text })
type Values = ReturnType<typeof value>[]

const labelsWith = (attributes: ReturnType<typeof attributeOf>[]) => {
  const sublabels = [labelOf({ id: 42, attributes, has_parent: true })]
  const labels = [labelOf({ id: 40, attributes }), labelOf({ id: 41, sublabels })]
  return indexLabels({ labels_revision: 2, labels })
}

const shape = (frame: number, attributes: Values): TrackShape => ({
  ...{ id: frame + 1, type: 'rectangle', frame, points: [0, 0, 1, 1], attributes },
  ...{ keyframe: true, occluded: false, outside: false, z_order: 0, rotation: 0 },
})

const common = { id: 7, frame: 0, group: 0, source: 'manual' } as const

/** Values of the track and of its two keyframes after completion. */
function completed(own: Values, first: Values, second: Values, mutable: boolean) {
  const labels = labelsWith([attributeOf({ id: 90, mutable, default_value: 'default' })])
  const parts = { attributes: own, shapes: [shape(0, first), shape(4, second)] }
  const plain: Track = { ...common, ...parts, label_id: 40, elements: [] }
  const element = { ...common, ...parts, label_id: 42 }
  const skeleton: Track = {
    ...{ ...common, label_id: 41, attributes: [], shapes: [] },
    elements: [element],
  }
  const seen = [plain, skeleton].map((object) => {
    const once = completeObject({ kind: 'track', object }, labels)
    if (once?.kind !== 'track') throw new Error('the track is gone')
    expect(completeObject(once, labels)).toEqual(once)
    const { attributes, shapes } = once.object.elements[0] ?? once.object
    return [attributes, ...shapes.map((one) => one.attributes)]
  })
  expect(seen[1]).toEqual(seen[0])
  return seen[0]?.map((values) => values.map((one) => one.value).join())
}

const [red, blue] = [value(90, 'red'), value(90, 'blue')]

test.each([
  [
    'a mutable attribute that is new has its default at every keyframe',
    [],
    [],
    [],
    true,
    '',
    'default',
    'default',
  ],
  ['a keyframe that lacks a value takes the one before', [], [red], [], true, '', 'red', 'red'],
  [
    'an attribute that became mutable begins with the value of the track',
    [red],
    [],
    [],
    true,
    '',
    'red',
    'red',
  ],
  [
    'an attribute that became immutable keeps the first value',
    [],
    [red],
    [blue],
    false,
    'red',
    '',
    '',
  ],
  [
    "values in their place win over those in the other's",
    [red],
    [blue],
    [],
    true,
    '',
    'blue',
    'blue',
  ],
  ['an immutable attribute that is new has its default', [], [], [], false, 'default', '', ''],
] as const)('%s', (_, own, first, second, mutable, ...expected) => {
  expect(completed([...own], [...first], [...second], mutable)).toEqual(expected)
})

test('a skeleton whose elements were all deleted is dropped, one with remaining elements is kept', () => {
  const labels = labelsWith([])
  const joint = (label_id: number) => ({
    ...{ ...common, type: 'points' as const, label_id, points: [1, 2], attributes: [] },
    ...{ score: 1, occluded: false, outside: false, z_order: 0, rotation: 0 },
  })
  const skeleton = (...parts: number[]) => ({
    kind: 'shape' as const,
    object: { ...joint(41), type: 'skeleton' as const, points: [], elements: parts.map(joint) },
  })
  expect(completeObject(skeleton(43, 44), labels)).toBeUndefined()
  expect(completeObject(skeleton(42, 43), labels)).toEqual(skeleton(42))
})
