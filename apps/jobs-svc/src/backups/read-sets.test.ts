import { decodeRows, decodeShape, rowLinesHeader } from '@reticle/contracts/row-lines'
import { createReport } from '@reticle/formats/report/conversion-report'
import { expect, test } from 'vitest'
import { knownLabels, readSets } from './read-sets.ts'

/** Annotation sets of an archive. */

const part = { id: 3, name: 'hand' }
const labels = knownLabels([
  { id: 1, name: 'car', attributes: [{ id: 5, name: 'plate' }] },
  { id: 2, name: 'person', sublabels: [part] },
])
const sets = { file: 'annotations.json', most: 3 }
const shape = { type: 'rectangle', frame: 0, label: 'car', points: [1, 2, 3, 4] }

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(value: unknown, size = 1000, report = createReport()) {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const lines: { set: number; line: string }[] = []
  for await (const one of readSets(pieces(text, size), labels, sets, report)) lines.push(one)
  return lines
}

async function shapesOf(value: unknown, size?: number) {
  const lines = (await read(value, size)).map(({ line }) => line)
  const text = rowLinesHeader + lines.join('')
  const rows: ReturnType<typeof decodeShape>[] = []
  for await (const batch of decodeRows(pieces(text, 1000)))
    for (const { columns } of batch) rows.push(decodeShape(columns))
  return rows
}

test.each([1, 2, 7, 1000])('sets are separated in pieces of %i bytes', async (size) => {
  const odd = { ...shape, attributes: [{ name: 'plate', value: '"}]\\"[{' }] }
  const found = await read([{ version: 0, shapes: [shape] }, {}, { shapes: [odd, shape] }], size)
  expect(found.map(({ set }) => set)).toEqual([0, 2, 2])
})

test('names become ids, also of elements, and ellipses have radii', async () => {
  const ellipse = { ...shape, type: 'ellipse', points: [20.1, 22.3, 25.8, 17.4] }
  const elements = [{ type: 'points', frame: 0, label: 'hand', points: [1, 2] }]
  const person = { ...shape, type: 'skeleton', label: 'person', points: [], elements }
  const [first, second] = await shapesOf([{ shapes: [ellipse, person] }])
  expect(first).toMatchObject({ label_id: 1, points: [20.1, 22.3, 5.7, 4.9], score: 1 })
  expect(second).toMatchObject({ label_id: 2, elements: [{ label_id: 3 }] })
})

test('unknown sources become manual, and the report names them', async () => {
  const elements = [
    { type: 'points', frame: 0, label: 'hand', points: [1, 2], source: 'Ground truth' },
    { type: 'points', frame: 0, label: 'hand', points: [1, 2], source: 'auto' },
  ]
  const person = { ...shape, type: 'skeleton', label: 'person', points: [], elements }
  const given = [
    { ...shape, source: 'Ground truth' },
    { ...shape, source: 'semi-auto' },
    { ...shape, source: null },
    { ...shape, source: 7 },
    { ...person, source: 'consensus' },
    shape,
  ]
  const report = createReport()
  const lines = await read(
    [
      { shapes: given },
      {
        tags: [{ frame: 0, label: 'car', source: 'x'.repeat(101) }],
        tracks: [{ frame: 0, label: 'car', shapes: [], source: 'Ground truth' }],
      },
    ],
    1000,
    report,
  )
  expect(lines).toHaveLength(8)
  const shapes = await shapesOf([{ shapes: given }])
  expect(shapes.map(({ source }) => source)).toEqual([
    'manual',
    'semi-auto',
    'manual',
    'manual',
    'consensus',
    'manual',
  ])
  expect(shapes[4]?.elements).toMatchObject([{ source: 'manual' }, { source: 'auto' }])
  const known = { kind: 'converted', code: 'unknown-source' }
  const file = 'annotations.json'
  expect(report.read()).toMatchObject({
    converted: 5,
    entries: [
      {
        ...known,
        count: 3,
        reason: 'the source "Ground truth" is unknown, it becomes manual',
        examples: [
          { file, item: '[0].shapes[0]' },
          { file, item: '[0].shapes[4]' },
          { file, item: '[1].tracks[0]' },
        ],
      },
      { ...known, count: 1, reason: 'the source "7" is unknown, it becomes manual' },
      { ...known, reason: `the source "${'x'.repeat(100)}…" is unknown, it becomes manual` },
    ],
  })
})

test.each([
  ['{}', 'a list of sets is expected'],
  ['[1]', 'a list of sets is expected'],
  ['[{},]', 'a list of sets is expected'],
  ['[{}] x', 'a list of sets is expected'],
  ['[{}', 'the text ends too early'],
  ['[{},{},{},{}]', 'there are more sets than the 3 jobs'],
  ['[{"shapes":[{"frame":0,}]}]', 'annotations.json'],
  [[{ shapes: [{ ...shape, label: 'hand' }] }], "there is no label 'hand'"],
  [[{ shapes: [{ ...shape, attributes: [{ name: 'x', value: '' }] }] }], "no attribute 'x'"],
  [[{}, { shapes: [{ ...shape, points: ['1'] }] }], '[1].shapes[0]'],
  [[{ intervals: [{}] }], 'intervals are not supported'],
])('%j is refused', async (given, message) => {
  await expect(read(given)).rejects.toThrow(message)
})

test('empty lists and sets yield no lines', async () => {
  expect(await read([{ intervals: [], tags: [], other: 1 }, {}])).toEqual([])
  expect(await read('[]')).toEqual([])
})
