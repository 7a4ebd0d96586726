import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assignPairs, type Edge } from './assign.ts'

const pairs = (edges: Edge[]) => assignPairs(edges).map(({ left, right }) => [left, right])
const edge = (left: number, right: number, similarity: number): Edge => ({
  left,
  right,
  similarity,
})

test('the pairing maximizes the sum of similarities, not the best single pair', () => {
  const edges = [edge(0, 0, 0.9), edge(0, 1, 0.8), edge(1, 0, 0.8)]
  expect(pairs(edges)).toEqual([
    [0, 1],
    [1, 0],
  ])
})

test('among equal similarities the earlier objects are paired with each other', () => {
  const all = [0, 1, 2].flatMap((left) => [0, 1, 2].map((right) => edge(left, right, 0.8)))
  const expected = [0, 1, 2].map((n) => [n, n])
  expect(pairs(all)).toEqual(expected)
  expect(pairs(all.toReversed())).toEqual(expected)
})

test('objects without similarity or without a free partner stay unpaired', () => {
  expect(pairs([])).toEqual([])
  expect(pairs([edge(0, 0, 0), edge(3, 5, 0.1), edge(4, 5, 0.2)])).toEqual([[4, 5]])
})

test('no other pairing has a higher sum', () => {
  const similarity = fc.oneof(
    fc.constant(0),
    fc.constant(0.5),
    fc.double({ min: 0, max: 1, noNaN: true }),
  )
  const table = fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }))
    .chain(([rows, columns]) =>
      fc.array(fc.array(similarity, { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
    )
  fc.assert(
    fc.property(table, (rows) => {
      const edges = rows.flatMap((row, left) => row.map((value, right) => edge(left, right, value)))
      const found = assignPairs(edges)
      expect(new Set(found.map((one) => one.left)).size).toBe(found.length)
      expect(new Set(found.map((one) => one.right)).size).toBe(found.length)
      expect(sum(found)).toBeCloseTo(best(rows, 0, new Set()), 9)
    }),
    { numRuns: 500 },
  )
})

test('a chain of a thousand objects and a full graph of three hundred are paired quickly', () => {
  const chain = Array.from({ length: 1000 }, (_, n) => [
    edge(n, n, 0.5),
    edge(n, n + 1, 0.6),
  ]).flat()
  expect(sum(assignPairs(chain))).toBeCloseTo(600)
  const rows = Array.from({ length: 300 }, (_, n) => n)
  const full = rows.flatMap((left) =>
    rows.map((right) => edge(left, right, ((left * 7919 + right * 104729) % 1000) / 1000)),
  )
  expect(assignPairs(full)).toHaveLength(300)
})

// ---- support

const sum = (edges: Edge[]) => edges.reduce((total, one) => total + one.similarity, 0)

/** Returns the highest sum by trying every pairing. */
function best(rows: number[][], left: number, taken: Set<number>): number {
  const row = rows[left]
  if (!row) return 0
  let most = best(rows, left + 1, taken)
  for (const [right, similarity] of row.entries()) {
    if (taken.has(right)) continue
    most = Math.max(most, similarity + best(rows, left + 1, new Set([...taken, right])))
  }
  return most
}
