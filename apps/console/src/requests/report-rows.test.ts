import { expect, test } from 'vitest'
import { codesOf, entryTexts, reportRows, shownReport, sumText } from './report-rows.ts'

const report = {
  created: { tags: 0, shapes: 240, tracks: 1 },
  skipped: 3,
  converted: 0,
  dropped: 7,
  entries: [
    {
      kind: 'skipped',
      code: 'unknown-label',
      count: 3,
      reason: 'no label bus',
      examples: [
        { file: 'a.json', item: 'a/1.png' },
        { file: 'a.json', item: 'a/2.png' },
      ],
    },
    { kind: 'dropped', code: 'dropped-shape-type', count: 7, reason: 'no ellipses', examples: [] },
  ],
}

test('each example of an entry is a row, and so is an entry without examples', () => {
  expect(reportRows(report)).toMatchObject([
    { kind: 'skipped', count: 3, item: 'a/1.png' },
    { kind: 'skipped', count: undefined, item: 'a/2.png' },
    { kind: 'dropped', count: 7, file: '' },
  ])
  expect(reportRows(report, 'dropped-shape-type')).toHaveLength(1)
})

test('the report of a failed request is shown only if it has entries', () => {
  const empty = { ...report, entries: [] }
  expect(shownReport({ status: 'failed', report: empty })).toBe(null)
  expect(shownReport({ status: 'failed', report })).toBe(report)
  expect(shownReport({ status: 'finished', report: empty })).toBe(empty)
  expect(shownReport({ status: 'failed', report: null })).toBe(null)
})

test('a report is summarised with its codes and counts', () => {
  expect(codesOf(report)).toEqual(['unknown-label', 'dropped-shape-type'])
  expect(sumText(report)).toBe('240 shapes, 1 track, 0 tags; 0 converted, 7 dropped, 3 skipped')
})

test('the summary of a created task has no object counts', () => {
  expect(sumText(report, 'create:task')).toBe('0 converted, 7 dropped, 3 skipped')
})

test('each entry becomes a sentence with its examples', () => {
  expect(entryTexts(report)).toEqual([
    '3 skipped: no label bus: a.json, a/1.png; a.json, a/2.png',
    '7 dropped: no ellipses',
  ])
  const examples = ['a', 'b', 'c', 'd', 'e'].map((file) => ({ file: `${file}.jpg`, item: '' }))
  const entry = { kind: 'skipped', code: 'ignored-file', reason: 'unknown file type', examples }
  const textsOf = (count: number) => entryTexts({ ...report, entries: [{ ...entry, count }] })
  expect(textsOf(5)).toEqual(['5 skipped: unknown file type: a.jpg; b.jpg; c.jpg; d.jpg; e.jpg'])
  expect(textsOf(7)).toEqual(['7 skipped: unknown file type: a.jpg; b.jpg; c.jpg; d.jpg; e.jpg; …'])
})
