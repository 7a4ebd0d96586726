import { expect, test } from 'vitest'
import {
  colorOf,
  namesOf,
  noLabels,
  parseLabels,
  toEditedLabel,
  toLabelWrites,
  withTyped,
} from './draft.ts'

test('names are entered one per line, and duplicates are dropped', () => {
  expect(namesOf(' car \r\n\nbus\ncar', [])).toEqual(['car', 'bus'])
  expect(namesOf('car\nbus', [toEditedLabel({ name: 'car' })])).toEqual(['bus'])
})

test('text that was not ended with Enter counts as a label', () => {
  const draft = withTyped({ ...noLabels, typed: 'car' })
  expect(toLabelWrites({ ...draft, typed: 'bus' }).map(({ name }) => name)).toEqual(['car', 'bus'])
})

test('empty values are dropped, and so are keys of the page', () => {
  const attributes = [{ name: 'state', input_type: 'select' as const, values: ['on', '', ' off '] }]
  const rows = [toEditedLabel({ name: 'lamp', attributes })]
  expect(toLabelWrites({ ...noLabels, rows })).toEqual([
    { name: 'lamp', attributes: [{ name: 'state', input_type: 'select', values: ['on', 'off'] }] },
  ])
})

test('JSON must be a list of labels', () => {
  const json = '[{"name":"person","type":"skeleton","sublabels":[{"name":"head"}]}]'
  expect(toLabelWrites({ ...noLabels, typed: 'car', json })).toEqual(JSON.parse(json))
  expect(() => parseLabels('{"name":"car"}')).toThrow('Labels are a list of objects')
  expect(() => parseLabels('["car"]')).toThrow('Labels are a list of objects')
  expect(() => parseLabels('[')).toThrow(SyntaxError)
})

test('the first twenty colours are valid and different', () => {
  const colors = Array.from({ length: 20 }, (_, index) => colorOf(index))
  expect(new Set(colors).size).toBe(20)
  for (const color of colors) expect(color).toMatch(/^#[0-9a-f]{6}$/)
})
