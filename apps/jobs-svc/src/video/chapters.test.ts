import { expect, test } from 'vitest'
import { assignChapterFrames } from './chapters.ts'

/** Returns the times of frames with a distance of one tick. */
const evenTicks = (count: number) => Float64Array.from({ length: count }, (_, frame) => frame)

/** Returns the first and last frames of chapters, in a video of 25 frames per second. */
const framesOf = (
  chapters: readonly (readonly [start: number, end: number])[],
  ticks = evenTicks(50),
) =>
  assignChapterFrames(
    chapters.map(([start, end]) => ({ start, end, title: '' })),
    { ticks, time_base: { num: 1, den: 25 } },
  ).map(({ start, stop }) => [start, stop])

test.each<[string, [number, number], [number, number][]]>([
  ['whose times are times of frames', [0.4, 0.8], [[10, 19]]],
  ['whose start was rounded down', [0.39, 0.8], [[10, 19]]],
  ['whose times were rounded up', [0.41, 0.81], [[10, 19]]],
  ['that are empty', [0.4, 0.4], [[10, 10]]],
  ['that are shorter than a frame', [0.4, 0.41], [[10, 10]]],
  ['that end before they start', [0.8, 0.4], [[20, 20]]],
  ['without an end', [0.4, Number.NaN], [[10, 10]]],
  ['without a start', [Number.NaN, 0.4], []],
  ['that end with the last frame', [1.6, 2], [[40, 49]]],
  ['that end after the last frame', [1.6, 1e15], [[40, 49]]],
  ['that end within the last frame', [1.6, 1.961], [[40, 49]]],
  ['that end when the last frame starts', [1.6, 1.96], [[40, 48]]],
  ['that start with the last frame', [1.96, 2], [[49, 49]]],
  ['that start when the last frame has ended', [2, 3], []],
  ['that start before the first frame', [-5, 0.4], [[0, 9]]],
  ['that end before the first frame', [-5, -1], []],
])('chapters %s have the expected frames', (_, chapter, frames) => {
  expect(framesOf([chapter])).toEqual(frames)
})

test('chapters are sorted by their first frame; those with an equal first frame keep the order of the file', () => {
  const times = [
    [0.8, 1],
    [0, 2],
    [0.8, 2],
    [0, 0.4],
  ] as const
  expect(framesOf(times)).toEqual([
    [0, 49],
    [0, 9],
    [20, 24],
    [20, 49],
  ])
})

test('chapters get frames in videos that start late or have one frame, and none in a video without frames', () => {
  const late = evenTicks(50).map((tick) => tick + 2500)
  expect(framesOf([[100.4, 100.8]], late)).toEqual([[10, 19]])
  expect(framesOf([[0, 4]], late)).toEqual([])
  expect(framesOf([[0, 4]], evenTicks(1))).toEqual([[0, 0]])
  expect(framesOf([[0, 4]], evenTicks(0))).toEqual([])
})

test('chapters contain frames with equal times, but no frames without a time', () => {
  expect(framesOf([[0, 0.04]], Float64Array.of(0, 0, 1, 1, 2))).toEqual([[0, 1]])
  expect(framesOf([[0, 4]], Float64Array.of(3, 3, 3))).toEqual([[0, 2]])
  expect(framesOf([[0, 4]], new Float64Array(5).fill(Number.NEGATIVE_INFINITY))).toEqual([])
  expect(framesOf([[0.04, 4]], Float64Array.of(Number.NEGATIVE_INFINITY, 1, 2))).toEqual([[1, 2]])
})

test('titles are cut to 1,024 characters, not between the two halves of a surrogate pair', () => {
  const [chapter] = assignChapterFrames([{ start: 0, end: 1, title: '🚗'.repeat(1500) }], {
    ticks: evenTicks(5),
    time_base: { num: 1, den: 5 },
  })
  expect(chapter?.title).toBe('🚗'.repeat(1024))
})
