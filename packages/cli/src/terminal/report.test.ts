import { expect, test } from 'vitest'
import { reportLines } from './report.ts'

const line = (count: number, files: string[]) => {
  const examples = files.map((file) => ({ file, item: '' }))
  const entry = {
    kind: 'skipped',
    code: 'ignored-file',
    count,
    reason: 'unknown file type',
    examples,
  }
  return reportLines({ skipped: count, converted: 0, dropped: 0, entries: [entry] }, 'Media')[0]
}

test('files are named, and that there are more', () => {
  expect(line(2, ['a.jpg', 'b.jpg'])).toBe('Media: 2 skipped: unknown file type (a.jpg; b.jpg)')
  expect(line(9, ['a', 'b', 'c', 'd', 'e'])).toBe(
    'Media: 9 skipped: unknown file type (a; b; c; ...)',
  )
  expect(line(3, [])).toBe('Media: 3 skipped: unknown file type')
})
