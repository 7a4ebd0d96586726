import { expect, test } from 'vitest'
import { getQuery, mostLabels, mostSpans } from './annotation-query.ts'

/** Query parameters of a GET of an annotation set. */

const read = (given: Record<string, string>) => getQuery.parse(given)
const refusals = (given: Record<string, string>) =>
  getQuery.safeParse(given).error?.issues.map(({ path, message }) => [...path, message].join(': '))

const range = (first: number, last = first) => ({ first, last })

test.each([
  ['', []],
  [' ', []],
  ['7', [range(7)]],
  ['0-99,120', [range(0, 99), range(120)]],
  [' 5 - 6 , 3 ', [range(3), range(5, 6)]],
  ['3-3', [range(3)]],
  ['9,1,8,2,8', [range(1, 2), range(8, 9)]],
  ['5-9,0-7,6-6', [range(0, 9)]],
  ['2147483647', [range(2_147_483_647)]],
])('frames=%s is parsed, and adjacent ranges are merged', (frames, expected) => {
  expect(read({ frames }).frames).toEqual(expected)
})

test.each(['a', '-1', '1-', '5-3', '1,,2', '1-2-3', '1.5', '0x1', '2147483648', '1 2', ','])(
  'frames=%s is rejected',
  (frames) => {
    const item = frames === '1,,2' || frames === ',' ? '' : frames
    const expected = `frames: "${item}" is neither a frame nor a range of frames: "0-99,120" is right.`
    expect(refusals({ frames })).toEqual([expected])
  },
)

test('the number of ranges is limited, counted after merging', () => {
  const every = (step: number, count: number) =>
    Array.from({ length: count }, (_, n) => n * step).join()
  expect(read({ frames: every(2, mostSpans) }).frames).toHaveLength(mostSpans)
  expect(read({ frames: every(1, mostSpans + 1) }).frames).toHaveLength(1)
  expect(refusals({ frames: every(2, mostSpans + 1) })).toEqual([
    `frames: Ensure there are no more than ${mostSpans} ranges of frames.`,
  ])
})

test('duplicate labels are read once', () => {
  expect(read({ label_id: '41, 40,41' }).label_id).toEqual([41, 40])
  expect(read({ label_id: '' }).label_id).toEqual([])
  expect(read({}).label_id).toEqual([])
})

test.each(['car', '40,', '-1', '4.5', '2147483648'])('label_id=%s is rejected', (label_id) => {
  const item = label_id === '40,' ? '' : label_id
  expect(refusals({ label_id })).toEqual([
    `label_id: "${item}" is no id of a label: "40,41" is right.`,
  ])
})

test('the number of labels is limited', () => {
  const label_id = Array.from({ length: mostLabels + 1 }, (_, n) => n).join()
  expect(refusals({ label_id })).toEqual([
    `label_id: Ensure there are no more than ${mostLabels} labels.`,
  ])
})

test('a filter refers to members of annotations, whose ids have 64 bits', () => {
  const filter = JSON.stringify({ '==': [{ var: 'id' }, 2 ** 40] })
  expect(read({ filter }).filter).toEqual({ op: '==', field: 'id', value: 2 ** 40 })
  expect(read({ filter: '' }).filter).toBeUndefined()
  expect(refusals({ filter: '{"var":"points"}' })).toEqual([
    "filter: filter: term 'points' is not supported",
  ])
})

test.each([
  ['true', true],
  ['off', false],
  ['', undefined],
])('interpolate=%s is read as %s', (interpolate, expected) => {
  expect(read({ interpolate }).interpolate).toBe(expected)
})
