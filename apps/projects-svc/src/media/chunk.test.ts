import { describe, expect, test } from 'vitest'
import { type ChunkPlace, framesOfChunk } from './chunk.ts'
import type { Viewed } from './viewed.ts'

/** `spec/api-workspace.md` 4.7: which frames a chunk has. Ten frames, four a chunk. */

const viewed = (start: number, stop: number, frames?: number[]): Viewed => ({
  ...{ task_id: 1, start, stop, size: 10 },
  ...(frames && { chosen: { job_id: 1, frames } }),
})
const task = viewed(0, 9)
const job = viewed(3, 7)
const truth = viewed(0, 9, [1, 2, 5, 8, 9])
const of = (what: Viewed, place: ChunkPlace) => {
  const { start, stop, chosen } = framesOfChunk(what, 4, place)
  return chosen?.frames ?? [start, stop]
}
const rangeOf = (what: Viewed, place: ChunkPlace) => {
  const { start, stop, has_placeholders } = framesOfChunk(what, 4, place)
  return { start, stop, has_placeholders }
}

describe('by its number', () => {
  test.each([
    [0, [0, 3]],
    [1, [4, 7]],
    [2, [8, 9]],
  ])('the chunk %i of a task has the frames from %j', (number, frames) => {
    expect(of(task, { number })).toEqual(frames)
  })

  test.each([
    [0, [3, 3]],
    [1, [4, 7]],
  ])('the chunk %i of a job is cut to its frames %j', (number, frames) => {
    expect(of(job, { number })).toEqual(frames)
  })

  test.each([
    [0, [1, 2]],
    [1, [5]],
    [2, [8, 9]],
  ])('the chunk %i of ground truth has those of its frames that it has', (number, frames) => {
    expect(of(truth, { number })).toEqual(frames)
  })

  test.each([
    [truth, 0, { start: 0, stop: 3, has_placeholders: true }],
    [truth, 2, { start: 8, stop: 9, has_placeholders: true }],
    [viewed(0, 9, [1]), 1, { start: 4, stop: 7, has_placeholders: true }],
    [job, 1, { start: 4, stop: 7, has_placeholders: undefined }],
  ])('a chunk of ground truth is as long as that of the task (%#)', (what, number, expected) => {
    expect(rangeOf(what, { number })).toEqual(expected)
  })
})

describe('by its index', () => {
  test.each([
    [0, [3, 6]],
    [1, [7, 7]],
  ])('the chunk %i of a job is counted from its first frame', (index, frames) => {
    expect(of(job, { index })).toEqual(frames)
  })

  test.each([
    [0, [1, 2, 5, 8]],
    [1, [9]],
  ])('the chunk %i of ground truth is counted among its frames', (index, frames) => {
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
])('a chunk that is not there is refused (%#)', (what, place, text) => {
  expect(() => of(what, place)).toThrow(text)
})
