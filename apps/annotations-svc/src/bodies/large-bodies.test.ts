import { countTurns } from '@reticle/kit/testing/turns'
import { expect, test } from 'vitest'
import { openChecker, readNew } from '../bodies/check.ts'
import { readConfig } from '../config.ts'
import { checkObjects, findRefusal } from '../testing/checking.ts'
import { createWorkspace, exampleLabels, neighboursOf, user } from '../testing/workspace.ts'
import { indexLabels } from '../validation/labels.ts'
import { checkMasks, indexSizes } from '../validation/masks.ts'
import { readBody } from './body.ts'

/**
 * Bodies near the limits: reading and checking them yields to the event loop, and lists with too many members are
 * rejected.
 */

async function* oneChunk(text: string) {
  yield Buffer.from(text)
}

async function readAll(text: string) {
  let objects = 0
  for await (const { items } of readBody(oneChunk(text))) objects += items.length
  return objects
}

const box = '"frame":2,"label_id":40,"points":[1,2,3,4]'
const repeat = (text: string, count: number) => `${`${text},`.repeat(count - 1)}${text}`
const tooLong = ['Ensure this field has no more than 200000 elements.']

test.each([
  [
    'a mask of 400,000 runs',
    `{"shapes":[{"type":"mask",${box.replace('[1,2,3,4]', `[${repeat('1', 400_000)}]`)}}]}`,
    { shapes: [{ points: tooLong }] },
  ],
  [
    'a polygon of 200,001 numbers behind other shapes',
    `{"shapes":[{},{},{"points":[${repeat('12', 200_001)}]}]}`,
    { shapes: [{}, {}, { points: tooLong }] },
  ],
  [
    '300,000 attributes',
    `{"tags":[{"attributes":[${repeat('{}', 300_000)}]}]}`,
    { tags: [{ attributes: tooLong }] },
  ],
  [
    '300,000 unknown keys',
    `{"shapes":[{${Array.from({ length: 300_000 }, (_, n) => `"k${n}":1`).join()}}]}`,
    { shapes: [{ non_field_errors: tooLong }] },
  ],
  [
    '300,000 elements',
    `{"shapes":[{"elements":[${repeat('{}', 300_000)}]}]}`,
    { shapes: [{ elements: tooLong }] },
  ],
  [
    'a track shape of 200,001 numbers',
    `{"tracks":[{"shapes":[{"points":[${repeat('12', 200_001)}]}]}]}`,
    { tracks: [{ shapes: [{ points: tooLong }] }] },
  ],
  [
    '400,000 points with strings between the numbers',
    `{"shapes":[{"points":[${repeat('1,2,3,""', 100_000)}]}]}`,
    { shapes: [{ points: tooLong }] },
  ],
  [
    'an object instead of a list',
    `{"shapes":{${Array.from({ length: 300_000 }, (_, n) => `"k${n}":1`).join()}}}`,
    { shapes: tooLong },
  ],
])('%s is rejected as too long, and the error has its path', async (_name, text, body) => {
  await expect(readAll(text)).rejects.toMatchObject({ kind: 'invalid', body })
})

test.each([
  ['many small objects', `{"shapes":[${repeat(`{${box}}`, 300_000)}]}`, 300_000],
  ['many objects without members', `{"shapes":[${repeat('{}', 400_000)}]}`, 400_000],
  ['few large objects', `{"shapes":[${repeat(`{"points":[${repeat('12', 200_000)}]}`, 8)}]}`, 8],
  ['a large unknown member', `{"other":[${repeat('[[1,2]]', 800_000)}],"tags":[{}]}`, 1],
])('parsing %s yields to the event loop', async (_name, text, expected) => {
  let objects = 0
  const turns = await countTurns(async () => {
    objects = await readAll(text)
  })
  expect(objects).toBe(expected)
  expect(turns).toBeGreaterThan(3)
})

const trackShapes = (count: number) =>
  Array.from({ length: count }, (_, frame) => ({ type: 'rectangle', frame, points: [0, 0, 1, 1] }))

const skeletonTrack = (elements: number, count: number) => ({
  ...{ frame: 0, label_id: 41, shapes: [{ type: 'skeleton', frame: 0 }] },
  elements: Array.from({ length: elements }, () => ({
    ...{ frame: 0, label_id: 42 },
    shapes: trackShapes(count).map((one) => ({ ...one, type: 'points', points: [1, 2] })),
  })),
})

test('checking the objects of one batch yields to the event loop', async () => {
  const shape = { type: 'rectangle', frame: 2, label_id: 40, points: [1, 2, 3, 4] }
  const turns = await countTurns(() =>
    checkObjects(
      'shape',
      Array.from({ length: 50_000 }, () => shape),
    ),
  )
  expect(turns).toBeGreaterThan(3)
})

test.each([
  ['shapes', { frame: 0, label_id: 40, shapes: trackShapes(100_000) }],
  [
    'shapes on one frame',
    { frame: 0, label_id: 40, shapes: trackShapes(100_000).map((one) => ({ ...one, frame: 0 })) },
  ],
  [
    'shapes in descending order',
    { frame: 0, label_id: 40, shapes: trackShapes(100_000).reverse() },
  ],
  ['shapes of an element', skeletonTrack(1, 100_000)],
  ['elements', skeletonTrack(2000, 50)],
])('checking a track of many %s yields to the event loop', async (_name, track) => {
  const turns = await countTurns(() => findRefusal('track', [track]))
  expect(turns).toBeGreaterThan(3)
})

test('a check stops soon after it has found the maximum number of problems', async () => {
  let read = 0
  const workspace = createWorkspace(12)
  const target = {
    ...{ kind: 'job' as const, id: 121, task_id: 12, project_id: null, organization_id: null },
    ...{ jobs: workspace.jobs.slice(0, 1), frames: [], dimension: '2d', labels_revision: 1 },
    label_events: [],
  }
  const deps = { services: neighboursOf([workspace]), settings: readConfig({}) }
  const index = indexLabels({ labels_revision: 1, labels: exampleLabels() })
  const checker = openChecker(deps, target, index, user())
  const items = Array.from({ length: 100_000 }, () => ({}))
  const checking = checker.check({ kind: 'shape', items, first: 0 }, (...given) => {
    read++
    return readNew(...given)
  })
  await expect(checking).rejects.toMatchObject({ kind: 'invalid' })
  expect(read).toBeLessThan(200)
})

test('attributes, elements and track shapes are not checked beyond the maximum number of problems', async () => {
  const many = Array.from({ length: 150_000 }, () => ({}))
  const skeleton = { type: 'skeleton', frame: 2, label_id: 41 }
  for (const invalid of [
    { ...skeleton, type: 'rectangle', label_id: 40, points: [1, 2, 3, 4], attributes: many },
    { ...skeleton, elements: many },
  ]) {
    const found = await findRefusal('shape', [invalid])
    expect(JSON.stringify(found?.body).length).toBeLessThan(30_000)
  }
  const found = await findRefusal('track', [{ frame: 0, label_id: 40, shapes: many }])
  expect(JSON.stringify(found?.body).length).toBeLessThan(30_000)
})

test('frame sizes are read once for any number of masks, and found in any number of runs of equal sizes', () => {
  let lookups = 0
  const runs = Array.from({ length: 100_000 }, (_, index) => ({
    width: index + 1,
    height: 1,
    get count() {
      lookups++
      return (index % 3) + 1
    },
  }))
  const sizeOf = indexSizes({ runs })
  expect([0, 1, 2, 3, 5, 6].map((frame) => sizeOf(frame)?.width)).toEqual([1, 2, 2, 3, 3, 4])
  expect(sizeOf(199_998)?.width).toBe(100_000)
  expect(sizeOf(199_999)).toBeUndefined()
  const masks = Array.from({ length: 100_000 }, (_, frame) => ({
    path: [],
    frame,
    right: 0,
    bottom: 0,
  }))
  expect(checkMasks(masks, sizeOf).problems).toEqual([])
  expect(lookups).toBe(100_000) // each run is read once for any number of masks
})
