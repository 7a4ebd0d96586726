import type { AnnotationSet, Label, Shape, TrackShape } from '@reticle/sdk'
import { expect, test } from 'vitest'
import { itemsOf } from './items.ts'
import { namesOf } from './names.ts'

const attribute = (id: number, name: string) => ({
  id,
  name,
  mutable: true,
  input_type: 'text' as const,
  default_value: '',
  values: [],
})
const hat = attribute(8, 'hat')
const label = { attributes: [], has_parent: false, sublabels: [], parent_id: null, type: 'any' }
const node = (id: number, sublabel: number) =>
  `<circle data-node-id="${id}" data-label-id="${sublabel}"></circle>`
const labels: Label[] = [
  {
    ...label,
    type: 'any',
    id: 1,
    name: 'car',
    color: '#ff0000',
    attributes: [attribute(9, 'make')],
  },
  {
    ...label,
    type: 'skeleton',
    id: 2,
    name: 'person',
    color: '#00ff00',
    svg: `${node(1, 3)}${node(2, 4)}<line data-node-from="1" data-node-to="2"></line>`,
    sublabels: [
      { ...label, type: 'points', id: 3, name: 'head', color: '#0000ff', attributes: [hat] },
      { ...label, type: 'points', id: 4, name: 'foot', color: '#ffff00' },
    ],
  },
]
const names = namesOf(labels)

const common = { occluded: false, outside: false, z_order: 0, rotation: 0, attributes: [] }
const object = { ...common, frame: 0, group: null, source: 'manual' as const, score: 1 }
const shape = (id: number, more: Partial<Shape> = {}): Shape => ({
  ...object,
  id,
  type: 'rectangle',
  label_id: 1,
  points: [0, 0, 10, 10],
  elements: [],
  ...more,
})
const joint = (label_id: number, points: number[], outside = false) => ({
  ...object,
  type: 'points' as const,
  label_id,
  points,
  outside,
})
const position = (frame: number, more: Partial<TrackShape> = {}): TrackShape => ({
  ...common,
  type: 'rectangle',
  frame,
  keyframe: false,
  points: [0, 0, 4, 4],
  ...more,
})
const set = (given: Partial<AnnotationSet>): AnnotationSet => ({
  version: 0,
  tags: [],
  shapes: [],
  tracks: [],
  ...given,
})

test('objects are sorted by z-order, then large ones below small ones', () => {
  const large = shape(1, { points: [0, 0, 90, 90] })
  const items = itemsOf(set({ shapes: [shape(2, { z_order: 1 }), shape(3), large] }), 0, names)
  expect(items.map(({ id }) => id)).toEqual([1, 3, 2])
})

test('an object has its label, colour and attributes by name', () => {
  const given = shape(1, { attributes: [{ spec_id: 9, value: 'Fiat' }] })
  expect(itemsOf(set({ shapes: [given] }), 0, names)[0]).toMatchObject({
    key: 'shapes-1',
    label: 'car',
    color: '#ff0000',
    group: 0,
    attributes: [{ name: 'make', value: 'Fiat' }],
  })
})

test('a skeleton has coloured joints and the edges between visible ones', () => {
  const whole = shape(1, {
    type: 'skeleton',
    label_id: 2,
    points: [],
    elements: [
      { ...joint(3, [10, 20]), attributes: [{ spec_id: 8, value: 'red' }] },
      joint(4, [30, 60]),
    ],
  })
  const half = { ...whole, id: 2, elements: [joint(3, [10, 20]), joint(4, [30, 60], true)] }
  const [one, other] = itemsOf(set({ shapes: [whole, half] }), 0, names)
  expect(one).toMatchObject({
    box: { left: 10, top: 20, right: 30, bottom: 60 },
    attributes: [{ name: 'head: hat', value: 'red' }],
  })
  expect(one?.pieces).toEqual([
    { outline: { form: 'line', points: [10, 20, 30, 60] }, color: '#00ff00', isDashed: false },
    { outline: { form: 'dot', x: 10, y: 20 }, color: '#0000ff', isDashed: false },
    { outline: { form: 'dot', x: 30, y: 60 }, color: '#ffff00', isDashed: false },
  ])
  expect(other?.pieces).toHaveLength(1)
})

test('a track is shown at its position on the frame, and not where it is outside', () => {
  const track = {
    ...object,
    id: 7,
    label_id: 1,
    elements: [],
    shapes: [position(0, { keyframe: true }), position(1), position(2, { outside: true })],
  }
  const at = (frame: number) => itemsOf(set({ tracks: [track] }), frame, names)
  expect(at(1)).toMatchObject([{ key: 'tracks-7', keyframe: false, type: 'rectangle' }])
  expect(at(2)).toEqual([])
})

test('a mask has the box of its pixels, and a tag has no box', () => {
  const tag = { ...object, id: 5, label_id: 1 }
  const mask = shape(6, { type: 'mask', points: [0, 4, 3, 4, 4, 5] })
  const items = itemsOf(set({ tags: [tag], shapes: [mask] }), 0, names)
  expect(items.map(({ type }) => type).sort()).toEqual(['mask', 'tag'])
  expect(items.find(({ type }) => type === 'mask')).toMatchObject({
    box: { left: 3, top: 4, right: 5, bottom: 6 },
  })
})
