import { expect, test } from 'vitest'
import { createReport } from './conversion-report.ts'

test('notes with equal kind, code and reason become one entry with at most five examples', () => {
  const report = createReport()
  for (let index = 0; index < 7; index += 1) {
    report.note('skipped', 'degenerate-shape', 'no area', { item: `annotation ${index}` })
  }
  report.note('dropped', 'degenerate-shape', 'no area')
  report.created('shapes')
  report.created('tracks', 3)
  expect(report.read()).toEqual({
    created: { tags: 0, shapes: 1, tracks: 3 },
    skipped: 7,
    converted: 0,
    dropped: 1,
    entries: [
      {
        kind: 'skipped',
        code: 'degenerate-shape',
        count: 7,
        reason: 'no area',
        examples: [0, 1, 2, 3, 4].map((index) => ({ item: `annotation ${index}` })),
      },
      { kind: 'dropped', code: 'degenerate-shape', count: 1, reason: 'no area', examples: [] },
    ],
  })
})

test('totals count notes beyond the first hundred entries', () => {
  const report = createReport()
  for (let index = 0; index < 150; index += 1) {
    report.note('skipped', 'dropped-attribute', `attribute '${index}'`)
  }
  const { skipped, entries } = report.read()
  expect([skipped, entries.length]).toEqual([150, 100])
})
