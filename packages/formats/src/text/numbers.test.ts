import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fixed2, isExact } from '../formats/service/written-number.ts'
import { floatsText, floatText, readCounts, readNumber, readPairs } from './numbers.ts'

const fail = (reason: string): Error => new Error(reason)
const double = fc.double({ min: -1e7, max: 1e7, noNaN: true })

test('numbers in any notation are parsed like Number does', () => {
  fc.assert(
    fc.property(double, fc.nat(12), (value, digits) => {
      for (const text of [String(value), value.toFixed(digits), value.toExponential(digits)]) {
        const read = readNumber(text, fail)
        expect(read).toBe(Number(text) + 0)
      }
    }),
  )
})

test.each([' 1.5 ', '+1.5', '1.', '.5', '-0', '00012.50'])('%j is a number', (text) => {
  expect(readNumber(text, fail)).toBe(Number(text) + 0)
})

test.each([
  '',
  ' ',
  '-',
  '.',
  '1.2.3',
  'NaN',
  'Infinity',
  '1e99',
  '0x10',
  '1,5',
  '1 2',
  '--1',
  '١',
])('%j is not a number', (text) => {
  expect(() => readNumber(text, fail)).toThrow('is no number')
  expect(() => readPairs(`1,2;${text},3`, fail)).toThrow()
})

test('points are parsed as pairs', () => {
  expect(readPairs('1.00,2.5; -3,4', fail)).toEqual([1, 2.5, -3, 4])
  expect(readPairs(' ', fail)).toEqual([])
  for (const text of ['1', '1,2;', '1;2', '1,2,3', ',']) {
    expect(() => readPairs(text, fail)).toThrow('is no point')
  }
  expect(() => readPairs(Array(100_001).fill('1,2').join(';'), fail)).toThrow('200002 numbers')
})

test('run lengths are parsed as whole numbers with or without blanks', () => {
  expect(readCounts('3, 5,7', fail)).toEqual([3, 5, 7])
  for (const text of ['', '3,', '3,-1', '1.5', '1 2']) {
    expect(() => readCounts(text, fail)).toThrow('is no count of pixels')
  }
})

test('a list of floats is formatted like single floats, and is read back exactly', () => {
  const hundredths = fc.integer({ min: -1e9, max: 1e9 }).map((value) => value / 100)
  const few = fc.constantFrom(0, -0, 0.01, 9.99, 10, 100.5, 2 ** 31 / 100, 1e7, -1e-7)
  fc.assert(
    fc.property(fc.array(fc.oneof(double, hundredths, few), { maxLength: 40 }), (values) => {
      const text = floatsText(values)
      expect(text).toBe(values.map(floatText).join())
      expect(JSON.parse(`[${text}]`)).toEqual(values.map((value) => value + 0))
      expect(text).toMatch(/^(-?\d+(\.\d+(e[-+]\d+)?|e[-+]\d+)(,|$))*$/)
    }),
  )
  const long = Array.from({ length: 5000 }, (_, at) => at + 1 / 3)
  expect(floatsText(long)).toBe(long.join())
})

test('two decimals are the nearest possible, and halves are rounded to even', () => {
  const texts = [0, -0, 1, 12.5, 0.125, 0.375, -0.125, 1e7, 1.005, 2.675, -7.55501, 19.999]
  expect(texts.map(fixed2)).toEqual(
    '0.00 0.00 1.00 12.50 0.12 0.38 -0.12 10000000.00 1.00 2.67 -7.56 20.00'.split(' '),
  )
  fc.assert(
    fc.property(double, (value) => {
      const isTie = Number.isInteger(value * 8) && !Number.isInteger(value * 4)
      const plain = value.toFixed(2)
      if (!isTie) expect(fixed2(value)).toBe(Number(plain) === 0 ? '0.00' : plain)
      expect(isExact(Number(fixed2(value)))).toBe(true)
    }),
  )
})

test('a text of more than 400 characters is not a number', () => {
  const fail = (reason: string) => new Error(reason)
  expect(readNumber(`1.${'0'.repeat(398)}`, fail)).toBe(1)
  expect(() => readNumber(`1.${'0'.repeat(399)}`, fail)).toThrow('is no number')
  expect(() => readNumber(`${'9'.repeat(60_000)}x`, fail)).toThrow('is no number')
})
