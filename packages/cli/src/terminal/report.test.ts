import { expect, test } from 'vitest'
import { formatLosses, formatReport } from './report.ts'

const line = (count: number, files: string[]) => {
  const examples = files.map((file) => ({ file, item: '' }))
  const entry = {
    kind: 'skipped',
    code: 'ignored-file',
    count,
    reason: 'unknown file type',
    examples,
  }
  return formatReport({ skipped: count, converted: 0, dropped: 0, entries: [entry] }, 'Media')[0]
}

test('files are listed, with an ellipsis if there are more', () => {
  expect(line(2, ['a.jpg', 'b.jpg'])).toBe('Media: 2 skipped: unknown file type (a.jpg; b.jpg)')
  expect(line(9, ['a', 'b', 'c', 'd', 'e'])).toBe(
    'Media: 9 skipped: unknown file type (a; b; c; d; e; ...)',
  )
  expect(line(3, [])).toBe('Media: 3 skipped: unknown file type')
})

test('losses are counted by kind, and zero counts are left out', () => {
  const none = { skipped: 0, converted: 0, dropped: 0, entries: [] }
  expect(formatLosses(none)).toBe('')
  expect(formatLosses(null)).toBe('')
  expect(formatLosses({ ...none, dropped: 1, skipped: 2 })).toBe('2 skipped, 1 dropped')
})
