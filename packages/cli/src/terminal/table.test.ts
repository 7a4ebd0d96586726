import { expect, test } from 'vitest'
import { createOutput, formatBytes, formatJson, formatValue } from './output.ts'
import { recordLines, replaceControls, type TableColumn, tableLines, widthOf } from './table.ts'

interface Row {
  id: number
  name: string
}
const columns: TableColumn<Row>[] = [
  { title: 'ID', of: ({ id }) => String(id), isNumber: true },
  { title: 'NAME', of: ({ name }) => name },
]
const rows = [
  { id: 7, name: 'a long name of a thing' },
  { id: 128, name: '猫の写真' },
]

test('columns are as wide as their content, and numbers are right-aligned', () => {
  expect(tableLines(rows, columns, Number.POSITIVE_INFINITY)).toEqual([
    ' ID  NAME',
    '  7  a long name of a thing',
    '128  猫の写真',
  ])
})

test('columns are truncated to the terminal by display width', () => {
  const lines = tableLines(rows, columns, 12)
  expect(lines).toEqual([' ID  NAME', '  7  a long…', '128  猫の写…'])
  expect(Math.max(...lines.map(widthOf))).toBe(12)
})

test('control characters in names do not reach the terminal', () => {
  const [, line = ''] = tableLines([{ id: 1, name: 'a\u001b[2J\u202eb\nc' }], columns, 80)
  for (const steering of ['\u001b', '\u202e', '\n']) expect(line).not.toContain(steering)
  expect(replaceControls('a\nb', true)).toBe('a\nb')
  expect(formatJson({ name: '\u009b2J\u001b' })).toBe('{"name":"\\u009b2J\\u001b"}')
})

test('a record has a line per field, with aligned continuation lines', () => {
  expect(
    recordLines([
      ['id', '7'],
      ['message', 'one\ntwo'],
      ['none', ''],
    ]),
  ).toEqual(['id       7', 'message  one\n         two', 'none'])
})

test.each([
  [null, ''],
  ['2026-03-01T09:00:05.123Z', '2026-03-01 09:00:05Z'],
  [{ id: 3, username: 'anna' }, 'anna'],
  [[{ name: 'car' }, { name: 'bus' }], 'car, bus'],
  [true, 'true'],
])('%j is shown as %s', (value, text) => {
  expect(formatValue(value)).toBe(text)
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1500, '1.5 kB'],
  [26_843_545_600, '26.8 GB'],
])('%i bytes are shown as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

/** Fake terminal or pipe that records its output. */
function stream(isTTY: boolean) {
  const written: string[] = []
  return { isTTY, columns: 20, written, write: (text: string) => written.push(text) }
}

test('titles are bold on a terminal without NO_COLOR, and pipes get complete plain text', () => {
  const of = (isTTY: boolean, noColor: boolean) => {
    const out = stream(isTTY)
    createOutput({ noColor }, out, stream(true)).table(rows, columns)
    return out.written.join('')
  }
  expect(of(true, false)).toContain('\u001b[1m ID  NAME\u001b[22m\n')
  expect(of(true, true)).not.toContain('\u001b')
  expect(of(true, true)).toContain('…')
  expect(of(false, false)).toContain('a long name of a thing\n')
})

test('`--quiet` suppresses notes, and `--json` prints one line per result', () => {
  const [out, err] = [stream(false), stream(false)]
  const output = createOutput({ json: true, quiet: true }, out, err)
  output.note('by the way')
  output.warn('mind this')
  output.table(rows, columns)
  output.result('done', { done: true })
  expect(err.written).toEqual(['mind this\n'])
  expect(out.written).toEqual([`${JSON.stringify(rows)}\n`, '{"done":true}\n'])
})
