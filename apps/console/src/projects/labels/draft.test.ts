import { expect, test } from 'vitest'
import { colorOf, draftOf, fromJson, namesOf, noLabels, withTyped, writtenOf } from './draft.ts'

test('names are taken one a line, each once', () => {
  expect(namesOf(' car \r\n\nbus\ncar', [])).toEqual(['car', 'bus'])
  expect(namesOf('car\nbus', [draftOf({ name: 'car' })])).toEqual(['bus'])
})

test('what was typed and not ended with Enter counts', () => {
  const draft = withTyped({ ...noLabels, typed: 'car' })
  expect(writtenOf({ ...draft, typed: 'bus' }).map(({ name }) => name)).toEqual(['car', 'bus'])
})

test('empty lines of values are left out, and keys of the page', () => {
  const attributes = [{ name: 'state', input_type: 'select' as const, values: ['on', '', ' off '] }]
  const rows = [draftOf({ name: 'lamp', attributes })]
  expect(writtenOf({ ...noLabels, rows })).toEqual([
    { name: 'lamp', attributes: [{ name: 'state', input_type: 'select', values: ['on', 'off'] }] },
  ])
})

test('JSON is a list of labels, or refused in words', () => {
  const json = '[{"name":"person","type":"skeleton","sublabels":[{"name":"head"}]}]'
  expect(writtenOf({ ...noLabels, typed: 'car', json })).toEqual(JSON.parse(json))
  expect(() => fromJson('{"name":"car"}')).toThrow('Labels are a list of objects')
  expect(() => fromJson('["car"]')).toThrow('Labels are a list of objects')
  expect(() => fromJson('[')).toThrow(SyntaxError)
})

test('the first twenty colours are colours, and no two are alike', () => {
  const colors = Array.from({ length: 20 }, (_, index) => colorOf(index))
  expect(new Set(colors).size).toBe(20)
  for (const color of colors) expect(color).toMatch(/^#[0-9a-f]{6}$/)
})
