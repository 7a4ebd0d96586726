import { expect, test } from 'vitest'
import { progressGate } from './progress-gate.ts'

function gated() {
  const passed: [number, string][] = []
  const clock = { now: 0 }
  const gate = progressGate(
    (share, stage) => passed.push([share, stage]),
    () => clock.now,
  )
  return { passed, clock, tell: gate.progress, moved: gate.moved }
}

test('steps of one per cent pass at once, smaller ones only after two seconds', () => {
  const { passed, clock, tell } = gated()
  tell(0.5, 'a')
  tell(0.505, 'a')
  tell(0.51, 'a')
  clock.now = 2000
  tell(0.511, 'a')
  expect(passed).toEqual([
    [0.5, 'a'],
    [0.51, 'a'],
    [0.511, 'a'],
  ])
})

test('a new stage passes at once', () => {
  const { passed, tell } = gated()
  tell(0.5, 'a')
  tell(0.5, 'b')
  expect(passed.length).toBe(2)
})

test('the share never decreases and never exceeds 1', () => {
  const { passed, tell } = gated()
  tell(0.5, 'a')
  tell(0.2, 'b')
  tell(7, 'c')
  expect(passed.map(([share]) => share)).toEqual([0.5, 0.5, 1])
})

test('activity without growth repeats the last progress every two seconds', () => {
  const { passed, clock, tell, moved } = gated()
  tell(0.5, 'a')
  for (clock.now = 500; clock.now <= 4500; clock.now += 500) moved()
  expect(passed).toEqual([
    [0.5, 'a'],
    [0.5, 'a'],
    [0.5, 'a'],
  ])
})

test.each([
  ['NaN', Number.NaN, 0.5],
  ['nothing', undefined, 0.5],
  ['text', '0.9', 0.5],
  ['a bigint', 1n, 0.5],
  ['-Infinity', Number.NEGATIVE_INFINITY, 0.5],
  ['Infinity', Number.POSITIVE_INFINITY, 1],
])(
  'after the share %s the reported share is finite, and later shares are reported',
  (_, given, share) => {
    const { passed, tell } = gated()
    tell(0.5, 'a')
    tell(given, 'b')
    tell(0.9, 'c')
    expect(passed.slice(1)).toEqual([
      [share, 'b'],
      [Math.max(share, 0.9), 'c'],
    ])
  },
)

test('amounts that are not whole numbers are left out, the others remain', () => {
  const reported: unknown[] = []
  const { progress } = progressGate((_share, _stage, amounts) => reported.push(amounts))
  progress(0, 'a', { bytes_done: Number.NaN, bytes_total: 0 })
  progress(0, 'b', { bytes_done: 3, items_done: -1, items_total: 0.5 })
  progress(0, 'c', 'many')
  expect(reported).toEqual([
    { bytes_total: 0 },
    { bytes_done: 3, bytes_total: 0 },
    { bytes_done: 3, bytes_total: 0 },
  ])
})
