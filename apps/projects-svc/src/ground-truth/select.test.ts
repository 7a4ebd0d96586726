import type { FrameSelection } from '@reticle/contracts/rest/validation'
import { describe, expect, test } from 'vitest'
import { createDraw, selectFrames } from './select.ts'

/** Frame selection methods. */

/** Ten frames in jobs 0 to 4, 3 to 7, 6 to 9. */
const jobs = [
  { start_frame: 0, stop_frame: 4 },
  { start_frame: 3, stop_frame: 7 },
  { start_frame: 6, stop_frame: 9 },
]
const choice = { size: 10, jobs }
type Asked = Omit<FrameSelection, 'frame_selection_method'>
const uniform = (selection: Asked) => ({
  frame_selection_method: 'random_uniform' as const,
  ...selection,
})
const perJob = (selection: Asked) => ({
  frame_selection_method: 'random_per_job' as const,
  ...selection,
})
const manual = (selection: Asked) => ({ frame_selection_method: 'manual' as const, ...selection })
const chosen = (selection: FrameSelection) => selectFrames(selection, choice)
const ascending = (frames: number[]) => [...new Set(frames)].sort((a, b) => a - b)
const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

describe('random_uniform', () => {
  test.each([
    [{ frame_count: 1 }, 1],
    [{ frame_count: 10 }, 10],
    [{ frame_count: 4, frame_share: null }, 4],
    [{ frame_share: 0.39 }, 3],
    [{ frame_share: 0.01 }, 1],
    [{ frame_share: 0 }, 1],
    [{ frame_share: 1 }, 10],
  ])('%j draws %i distinct frames', (selection, count) => {
    const frames = chosen(uniform(selection))
    expect(frames).toHaveLength(count)
    expect(frames).toEqual(ascending(frames))
    expect(all).toEqual(expect.arrayContaining(frames))
  })
})

describe('random_per_job', () => {
  test.each([
    [{ frames_per_job_count: 1 }, 1],
    [{ frames_per_job_count: 2 }, 2],
    [{ frames_per_job_count: 5 }, 5],
    [{ frames_per_job_share: 0.5 }, 2],
    [{ frames_per_job_share: 0.01 }, 1],
  ])('%j draws %i frames for each job; shared frames count for both', (selection, count) => {
    for (let random_seed = 0; random_seed < 20; random_seed++) {
      const frames = chosen(perJob({ ...selection, random_seed }))
      expect(frames).toEqual(ascending(frames))
      const counts = jobs.map(
        ({ start_frame, stop_frame }) =>
          frames.filter((frame) => start_frame <= frame && frame <= stop_frame).length,
      )
      for (const [index, one] of counts.entries())
        expect(one).toBeGreaterThanOrEqual(Math.min(count, index === 2 ? 4 : 5))
      expect(counts[0]).toBeLessThanOrEqual(count)
    }
  })

  test.each([
    [{ frames_per_job_share: 0.5 }, [2, 2, 2]],
    [{ frames_per_job_share: 0.75 }, [3, 3, 2]],
    [{ frames_per_job_count: 4 }, [4, 4, 2]],
  ])('%j uses the job size of the task, also for a shorter last job', (selection, counts) => {
    const short = {
      size: 10,
      jobs: [0, 4, 8].map((start_frame) => ({
        start_frame,
        stop_frame: Math.min(9, start_frame + 3),
      })),
    }
    const frames = selectFrames(perJob({ ...selection, random_seed: 3 }), short)
    expect(
      [0, 1, 2].map((job) => frames.filter((frame) => Math.floor(frame / 4) === job).length),
    ).toEqual(counts)
  })
})

test('manual returns the named frames in frame order', () => {
  expect(chosen(manual({ frames: [9, 0, 4] }))).toEqual([0, 4, 9])
})

test('a seed draws the same frames in every release', () => {
  expect(chosen(uniform({ frame_count: 4, random_seed: 1 }))).toEqual([0, 4, 8, 9])
  const bySeed = Array.from({ length: 20 }, (_, random_seed) =>
    String(chosen(uniform({ frame_count: 4, random_seed }))),
  )
  expect(new Set(bySeed).size).toBeGreaterThan(10)
})

test('without a seed the draws differ', () => {
  const draws = Array.from({ length: 20 }, () => String(chosen(uniform({ frame_count: 5 }))))
  expect(new Set(draws).size).toBeGreaterThan(1)
})

test.each([0, 1, 77, 2 ** 31 - 1])(
  'a draw with the seed %i has the requested number of frames within its bounds',
  (seed) => {
    for (const size of [1, 2, 7, 100])
      for (let count = 0; count <= size; count++) {
        const drawn = createDraw(seed)(count, 40, 40 + size - 1)
        expect(drawn).toHaveLength(count)
        expect(drawn).toEqual(ascending(drawn))
        expect(drawn.every((frame) => frame >= 40 && frame < 40 + size)).toBe(true)
      }
  },
)

test('every frame has the same chance', () => {
  const counts = new Map<number, number>()
  const draw = createDraw(1)
  for (let round = 0; round < 10_000; round++)
    for (const frame of draw(3, 0, 9)) counts.set(frame, (counts.get(frame) ?? 0) + 1)
  for (const frame of all) {
    expect(counts.get(frame)).toBeGreaterThan(2700)
    expect(counts.get(frame)).toBeLessThan(3300)
  }
})

describe('a selection is rejected with an error of its key:', () => {
  const cases: [what: string, selection: FrameSelection, key: string, text: string][] = [
    ['more than all', uniform({ frame_count: 11 }), 'frame_count', 'only 10 frames'],
    [
      'more than any job has',
      perJob({ frames_per_job_count: 6 }),
      'frames_per_job_count',
      'No job has more than 5 frames.',
    ],
    ['a frame before the first', manual({ frames: [-1] }), 'frames', 'no frame -1, only 0 to 9'],
    ['a frame after the last', manual({ frames: [10] }), 'frames', 'no frame 10, only 0 to 9'],
  ]
  test.each(cases)('%s', (_, selection, key, text) => {
    expect(() => chosen(selection)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        body: { [key]: [expect.stringContaining(text)] },
      }),
    )
  })
})
