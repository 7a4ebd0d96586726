import { expect, test } from 'vitest'
import { type BenchRun, pageWith } from './page.ts'
import type { BenchFigure } from './table.ts'

const page = `# Performance

<!-- targets -->
| # | Mode | What | Seen | Target | Holds |
| --- | --- | --- | --- | --- | --- |
| P2 | embedded | a read | 1 | <= 2 | yes |
| P6 | split | small reads | 0.1 | >= 0.2 | **no** |
| P14 | embedded | a large document | 9 MiB | <= 150 MiB | yes |
<!-- end of targets -->

By hand.

<!-- formats -->
<!-- end of formats -->
<!-- embedded -->
Of yesterday.

| # | What | Seen | Target | Holds |
| --- | --- | --- | --- | --- |
| lists | by name | 3 | <= 3 | yes |
<!-- end of embedded -->
<!-- split -->
<!-- end of split -->
`

const figure = (id: string, what: string, seen = 'new'): BenchFigure => ({
  ...{ id, what, seen, target: '<= 3', holds: true },
})
const written = (figures: BenchFigure[], run: Partial<BenchRun> = {}) =>
  pageWith(page, { mode: 'embedded', isWhole: false, note: 'Of today.', figures, ...run })

test('a partial run replaces its own rows and keeps all others', () => {
  expect(written([figure('P2', 'a read')])).toBe(
    page
      .replace('| a read | 1 | <= 2 |', '| a read | new | <= 3 |')
      .replace(/<!-- formats -->\n/, (begin) => `${begin}${headOfFormats}`),
  )
})

const headOfFormats = `| Format | Export of 100,000 / 1,000,000, s | Times | Times psql | Growth, MiB | Import of 100,000 / 1,000,000, s | Times | Times psql | Growth, MiB | Holds |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
`

test('targets of both modes are sorted by their numbers', () => {
  const text = written([figure('P10', 'a hop'), figure('P3', 'a read')], { mode: 'split' })
  expect(text.match(/^\| P\d+ \| \w+/gm)).toEqual([
    '| P2 | embedded',
    '| P3 | split',
    '| P6 | split',
    '| P10 | split',
    '| P14 | embedded',
  ])
})

test('a whole run removes rows that are no longer measured, but keeps those measured only by name', () => {
  const text = written([figure('lists', 'by date')], { isWhole: true })
  expect(text).toContain('Of today.\n\n| # | What |')
  expect(text).not.toContain('by name')
  expect(text).not.toContain('a read')
  expect(text).toContain('| small reads |')
  expect(text).toContain('| a large document |')
})

test('a format is a row of its own table', () => {
  const cells = ['1.0 / 7.0', '7.00', '2.00', '30', '', '', '', '']
  const once = written([{ ...figure('formats', 'YOLO 1.1'), moved: cells }])
  expect(once).toContain('\n| YOLO 1.1 | 1.0 / 7.0 | 7.00 | 2.00 | 30 |  |  |  |  | yes |\n')
  const run = { mode: 'embedded', isWhole: true, note: 'Of today.', figures: [] }
  expect(pageWith(once, run)).toContain('| YOLO 1.1 |')
})

test('a page without the tables is refused', () => {
  const run = { mode: 'embedded', isWhole: false, note: '', figures: [] }
  expect(() => pageWith('# Performance', run)).toThrow('has no part <!-- targets -->')
})
