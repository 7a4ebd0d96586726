import { createReport } from '@reticle/formats/report/conversion-report'
import { expect, test } from 'vitest'
import { taskChapters } from './task-chapters.ts'

const three = [
  { start: 0, stop: 9, title: 'a' },
  { start: 10, stop: 39, title: 'b' },
  { start: 40, stop: 49, title: '' },
]

function chaptersOf(
  chosen: { start_frame?: number; frame_filter?: string },
  count: number,
  { chapters = three, isWhole = true } = {},
) {
  const report = createReport()
  const found = taskChapters(
    { chapters: { chapters, isWhole }, count },
    { start_frame: 0, frame_filter: '', ...chosen },
    { report, file: 'a.mp4' },
  )
  return { found: found?.chapters, entries: report.read().entries }
}

const framesOf = (...given: Parameters<typeof chaptersOf>) =>
  chaptersOf(...given).found?.map(({ id, start, stop }) => [id, start, stop])

test('chapters of a whole video are numbered and keep their frames and titles', () => {
  expect(chaptersOf({}, 50)).toEqual({
    found: [
      { id: 0, start: 0, stop: 9, metadata: { title: 'a' } },
      { id: 1, start: 10, stop: 39, metadata: { title: 'b' } },
      { id: 2, start: 40, stop: 49, metadata: { title: '' } },
    ],
    entries: [],
  })
})

test('frames count from the first frame of the task, and chapters end at its last', () => {
  expect(framesOf({ start_frame: 5 }, 30)).toEqual([
    [0, 0, 4],
    [1, 5, 29],
  ])
  expect(framesOf({ start_frame: 12 }, 5)).toEqual([[0, 0, 4]])
})

test('frames of a task with a step are counted by the task, not by the video', () => {
  expect(framesOf({ start_frame: 4, frame_filter: 'step=7' }, 7)).toEqual([
    [0, 0, 0],
    [1, 1, 5],
    [2, 6, 6],
  ])
})

test('chapters without a frame of the task are left out, numbers have no gaps', () => {
  expect(framesOf({ start_frame: 45, frame_filter: 'step=2' }, 3)).toEqual([[0, 0, 2]])
  expect(framesOf({ start_frame: 8, frame_filter: 'step=33' }, 2)).toEqual([
    [0, 0, 0],
    [1, 1, 1],
  ])
  expect(framesOf({ start_frame: 50 }, 3)).toBe(undefined)
})

test('videos without chapters and other media yield no chapters', () => {
  expect(chaptersOf({}, 50, { chapters: [] })).toEqual({ found: undefined, entries: [] })
  const report = createReport()
  const chosen = { start_frame: 0, frame_filter: '' }
  expect(taskChapters({ count: 3 }, chosen, { report, file: 'a.png' })).toBe(undefined)
})

test('the report names a video of which not all chapters were read', () => {
  const { found, entries } = chaptersOf({}, 50, { isWhole: false })
  expect(found).toHaveLength(3)
  const examples = [{ file: 'a.mp4' }]
  expect(entries).toMatchObject([{ kind: 'skipped', code: 'ignored-chapter', count: 1, examples }])
})

test('chapters are limited to the size of one message, the rest is reported', () => {
  const long = Array.from({ length: 9000 }, () => ({ start: 0, stop: 9, title: '"'.repeat(1024) }))
  const { found = [], entries } = chaptersOf({}, 10, { chapters: long })
  const bytes = Buffer.byteLength(JSON.stringify(found))
  expect(bytes).toBeGreaterThan(1.9 * 1024 ** 2)
  expect(bytes).toBeLessThan(2.1 * 1024 ** 2)
  expect(entries).toMatchObject([{ code: 'ignored-chapter' }])
})
