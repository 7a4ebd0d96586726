import type { Shape } from '@reticle/contracts/rest/annotations'
import { columnSeparator, shapeText, tagText } from '@reticle/contracts/row-lines'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldFrame, idOf, type JobObjectRow } from './frames.ts'
import { openComparer } from './similar.ts'

/** Which rows of several jobs are one object on a frame: docs/spec/annotations.md#task-level */

const fold = (rows: JobObjectRow[], is3d = false) =>
  foldFrame(rows, openComparer(is3d)).map(({ members }) => members.map(idOf))

test('tags of one label are paired one to one', () => {
  const tag = (job_id: number, id: number, label_id: number): JobObjectRow => {
    const text = tagText({ id, frame: 3, label_id, group: 0, source: 'manual', attributes: [] })
    return { kind: 'tag', job_id, columns: text.split(columnSeparator) }
  }
  const rows = [
    tag(1, 10, 40),
    tag(1, 11, 40),
    tag(1, 12, 41),
    tag(2, 5, 40),
    tag(3, 6, 40),
    tag(3, 7, 42),
  ]
  expect(fold(rows)).toEqual([[7], [10, 5, 6], [11], [12]])
})

test('rows of a third job are compared with the merged objects of the first two', () => {
  const rows = [row(1, 1, [0, 0, 100, 1]), row(2, 2, [10, 0, 110, 1]), row(3, 3, [20, 0, 120, 1])]
  // The third row is similar to the second, but the second was merged into the first.
  expect(fold(rows)).toEqual([[1, 2], [3]])
  expect(fold(rows.slice(1))).toEqual([[2, 3]])
})

test('the dimension of the task determines the layout of a cuboid', () => {
  const points = (x: number) => [x, 0, 0, 0, 0, 0, 100, 10, 10, 0, 0, 0, 0, 0, 0, 0]
  const rows = [row(1, 1, points(0), 'cuboid'), row(2, 2, points(5), 'cuboid')]
  expect(fold(rows, true)).toEqual([[1, 2]])
  expect(fold(rows)).toEqual([[1], [2]])
})

test('a self-intersecting polygon matches only an equal one', () => {
  const bow = [0, 0, 10, 10, 10, 0, 0, 10]
  expect(fold([row(1, 1, bow, 'polygon'), row(2, 2, bow, 'polygon')])).toEqual([[1, 2]])
  const near = [0, 0, 10, 10, 10, 0.1, 0, 10]
  expect(fold([row(1, 1, bow, 'polygon'), row(2, 2, near, 'polygon')])).toEqual([[1], [2]])
})

test('the pairing of boxes is optimal, with or without equal boxes', () => {
  const box = fc.tuple(fc.nat(3), fc.nat(3)).map(([x, y]) => [x, y, x + 6, y + 6])
  const boxes = fc.array(box, { maxLength: 5 })
  const { forms } = openComparer(false)
  fc.assert(
    fc.property(boxes, boxes, (first, second) => {
      const rows = [
        ...first.map((points, n) => row(1, n + 1, points)),
        ...second.map((points, n) => row(2, n + 11, points)),
      ]
      const likeness = first.map((a) => second.map((b) => forms(formOf(a), formOf(b))))
      const own = fold(rows).filter((ids) => ids.length > 1)
      const sum = own.reduce((all, [a = 0, b = 0]) => all + (likeness[a - 1]?.[b - 11] ?? 0), 0)
      expect(bestSums(likeness).some((one) => Math.abs(one - sum) < 1e-9)).toBe(true)
    }),
    { numRuns: 300 },
  )
})

// ---- support

const formOf = (points: number[]) => ({
  ...{
    type: 'rectangle' as const,
    label_id: 40,
    points,
    rotation: 0,
    outside: false,
    elements: [],
  },
})

function row(
  job_id: number,
  id: number,
  points: number[],
  type: Shape['type'] = 'rectangle',
): JobObjectRow {
  const text = shapeText({
    ...{ id, type, frame: 3, label_id: 40, group: 0, source: 'manual', score: 1, occluded: false },
    ...{ outside: false, z_order: 0, rotation: 0, points, attributes: [], elements: [] },
  })
  return { kind: 'shape', job_id, columns: text.split(columnSeparator) }
}

/** Sums of the accepted pairs of each optimal pairing, found by trying all pairings. */
function bestSums(rows: number[][]) {
  const all: [number, number][] = []
  const walk = (at: number, used: ReadonlySet<number>, total: number, kept: number) => {
    const row = rows[at]
    if (!row) {
      all.push([total, kept])
      return
    }
    walk(at + 1, used, total, kept)
    for (const [right, value] of row.entries()) {
      if (used.has(right)) continue
      walk(at + 1, new Set([...used, right]), total + value, kept + (1 - value <= 0.25 ? value : 0))
    }
  }
  walk(0, new Set(), 0, 0)
  const best = Math.max(...all.map(([total]) => total))
  return all.filter(([total]) => best - total < 1e-9).map(([, kept]) => kept)
}
