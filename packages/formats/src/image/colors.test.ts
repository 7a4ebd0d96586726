import { expect, test } from 'vitest'
import { colorText, paletteColor, parseColor, rgb } from './colors.ts'

test.each([
  [0, '0,0,0'],
  [1, '128,0,0'],
  [2, '0,128,0'],
  [3, '128,128,0'],
  [4, '0,0,128'],
  [255, '224,224,192'],
])('colour %i of the palette is %s', (index, text) => {
  expect(colorText(paletteColor(index))).toBe(text)
})

test('palette colours of many instances are all different', () => {
  const colors = Array.from({ length: 100_000 }, (_, index) => paletteColor(index))
  expect(new Set(colors).size).toBe(colors.length)
})

test('a valid label colour is parsed, anything else is undefined', () => {
  expect(parseColor('#20C0ff')).toBe(rgb(0x20, 0xc0, 0xff))
  expect([parseColor('red'), parseColor('#fff'), parseColor(undefined)]).toEqual(
    Array(3).fill(undefined),
  )
})
