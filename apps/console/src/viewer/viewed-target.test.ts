import { expect, test } from 'vitest'
import { frameWithin, jobPageOf, neighboursOf } from './viewed-target.ts'

const span = { first: 5, last: 9 }

test('a missing frame number selects the nearest frame', () => {
  expect([1, 7, 12, Number.NaN].map((requested) => frameWithin(span, requested))).toEqual([
    5, 7, 9, 5,
  ])
})

test('only existing neighbours are loaded ahead', () => {
  expect(neighboursOf(span, 7)).toEqual([8, 6, 9])
  expect(neighboursOf(span, 9)).toEqual([8])
})

test('the page of a job follows from the segment of the frame', () => {
  expect(jobPageOf({ segment_size: 10, overlap: 0 }, 999, 100)).toBe(1)
  expect(jobPageOf({ segment_size: 10, overlap: 0 }, 1000, 100)).toBe(2)
  expect(jobPageOf({ segment_size: 10, overlap: 5 }, 500, 100)).toBe(2)
  expect(jobPageOf({ segment_size: 0, overlap: 0 }, 5000, 100)).toBe(1)
})
