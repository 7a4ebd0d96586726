import { expect, test } from 'vitest'
import { type AttributeText, readAttributes, writeAttributes } from './attributes.ts'

const values: AttributeText[] = [
  ['color', 'blue'],
  ['doors', 2.5],
  ['parked', true],
  ['seen', false],
  ['plate', 'A <1> & "2"'],
  ['number', '007'],
  ['a=b, "c"\\', 'x,y=z\\'],
  ['blanks', ' a\nb '],
  ['empty', ''],
]

test('attributes are written as one text', () => {
  expect(writeAttributes(values)).toBe(
    'color=blue, doors=2.5, parked=True, seen=False, plate=A <1> & \\"2\\", number="007", ' +
      'a\\=b\\, \\"c\\"\\\\=x\\,y\\=z\\\\, blanks=" a\nb ", empty=',
  )
})

test('attributes are read from that text', () => {
  expect(readAttributes(writeAttributes(values))).toEqual(values)
})

test.each<[string, AttributeText[]]>([
  ['', []],
  [' , ,', []],
  ['a1', [['a1', true]]],
  [
    'gfd lkj hi, b',
    [
      ['gfd lkj hi', true],
      ['b', true],
    ],
  ],
  [
    'a=1,b = x ,c="y, z" , d="q',
    [
      ['a', 1],
      ['b', 'x'],
      ['c', 'y, z'],
      ['d', '"q'],
    ],
  ],
  [
    'a="x" y, b=c=d, =e',
    [
      ['a', '"x" y'],
      ['b', 'c=d'],
    ],
  ],
  ['a=\\', [['a', '\\']]],
])('%j is read as its tool meant it', (text, expected) => {
  expect(readAttributes(text)).toEqual(expected)
})

test('reading takes linear time for any text', () => {
  const text = '\\"'.repeat(100_000)
  expect(readAttributes(`a="${text}`)).toHaveLength(1)
  expect(readAttributes(`a${'="\\'.repeat(100_000)}`)).toHaveLength(1)
})
