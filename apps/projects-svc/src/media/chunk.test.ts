import { describe, expect, test } from 'vitest'
import { type ChunkPosition, framesOfChunk } from './chunk.ts'
import type { Viewed } from './viewed.ts'

/** Frames of chunks. Ten frames, four in a chunk. */

const viewed = (start: number, stop: number, frames?: number[]): Viewed => ({
  task_id: 1,
  start,
  stop,
  size: 10,
  ...(frames && { chosen: { job_id: 1, frames } }),
})
const task = viewed(0, 9)
const job = viewed(3, 7)
const truth = viewed(0, 9, [1, 2, 5, 8, 9])
const of = (what: Viewed, place: ChunkPosition) => {
  const { start, stop, chosen } = framesOfChunk(what, 4, place)
  return chosen?.frames ?? [start, stop]
}
const rangeOf = (what: Viewed, place: ChunkPosition) => {
  const { start, stop, has_placeholders } = framesOfChunk(what, 4, place)
  return { start, stop, has_placeholders }
}

describe('a chunk by number', () => {
  test.each([
    [0, [0, 3]],
    [1, [4, 7]],
    [2, [8, 9]],
  ])('chunk %i of a task contains the frames %j', (number, frames) => {
    expect(of(task, { number })).toEqual(frames)
  })

  test.each([
    [0, [3, 3]],
    [1, [4, 7]],
  ])('chunk %i of a job contains only the frames %j of the job', (number, frames) => {
    expect(of(job, { number })).toEqual(frames)
  })

  test.each([
    [0, [1, 2]],
    [1, [5]],
    [2, [8, 9]],
  ])(
    'chunk %i of a ground-truth job contains only the frames %j of ground truth',
    (number, frames) => {
      expect(of(truth, { number })).toEqual(frames)
    },
  )

  test.each([
    [truth, 0, { start: 0, stop: 3, has_placeholders: true }],
    [truth, 2, { start: 8, stop: 9, has_placeholders: true }],
    [viewed(0, 9, [1]), 1, { start: 4, stop: 7, has_placeholders: true }],
    [job, 1, { start: 4, stop: 7, has_placeholders: undefined }],
  ])('a chunk of ground truth is as long as that of the task (%#)', (what, number, expected) => {
    expect(rangeOf(what, { number })).toEqual(expected)
  })
})

describe('a chunk by index', () => {
  test.each([
    [0, [3, 6]],
    [1, [7, 7]],
  ])('chunk %i of a job is counted from the first frame of the job', (index, frames) => {
    expect(of(job, { index })).toEqual(frames)
  })

  test.each([
    [0, [1, 2, 5, 8]],
    [1, [9]],
  ])('chunk %i of a ground-truth job is counted among its frames', (index, frames) => {
    expect(of(truth, { index })).toEqual(frames)
  })
})

test.each([
  [task, { number: 3 }, 'the number 3 is not here: there are the numbers 0 to 2'],
  [task, { number: -1 }, 'the number -1 is not here'],
  [task, { number: 2_147_483_647 }, 'there are the numbers 0 to 2'],
  [job, { number: 2 }, 'there are the numbers 0 to 1'],
  [job, { index: 2 }, 'the index 2 is not in this job: it has the indices 0 to 1'],
  [job, { index: -1 }, 'it has the indices 0 to 1'],
  [truth, { index: 2 }, 'it has the indices 0 to 1'],
])('a missing chunk is rejected (%#)', (what, place, text) => {
  expect(() => of(what, place)).toThrow(text)
})
