import type { Shape } from '@reticle/sdk'
import { expect, test } from 'vitest'
import { changesOf, countOf, typeOf } from './changes.ts'

const shape = (given: Partial<Shape>): Shape => ({
  id: 1,
  frame: 0,
  label_id: 1,
  group: 0,
  source: 'manual',
  type: 'rectangle',
  score: 1,
  occluded: false,
  outside: false,
  z_order: 0,
  rotation: 0,
  points: [1, 2, 3, 4],
  attributes: [],
  elements: [],
  ...given,
})

const nothing = { tags: [], shapes: [], tracks: [] }

test('changes are listed by object with the changed members', () => {
  const after = shape({ id: 2, points: [1, 2, 3, 5], occluded: true })
  const changes = changesOf({
    from: 1,
    to: 2,
    created: { ...nothing, shapes: [shape({ id: 3, type: 'mask' })] },
    updated: { ...nothing, shapes: [{ before: shape({ id: 2 }), after }] },
    deleted: { ...nothing, shapes: [shape({ id: 1 })] },
  })
  expect(changes.map(({ action, object, members }) => [action, object.id, members])).toEqual([
    ['created', 3, []],
    ['updated', 2, ['occluded', 'points']],
    ['deleted', 1, []],
  ])
  expect(changes.map(typeOf)).toEqual(['mask', 'rectangle', 'rectangle'])
  expect(countOf(changes, 'shapes', 'updated')).toBe(1)
  expect(countOf(changes, 'tags', 'updated')).toBe(0)
})
