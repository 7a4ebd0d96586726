import { describe, expect, test } from 'vitest'
import { labelOf } from '../testing/run.ts'
import type { AttributeSpec } from './dataset.ts'
import { createLabelFinder, splitByMutable, storedValue, writtenValues } from './labels.ts'

test('labels are found by their exact name, and all missing ones are reported together', () => {
  const finder = createLabelFinder([labelOf({ name: 'car' })])
  expect(finder.find('car')?.name).toBe('car')
  expect(finder.find('background')).toBeUndefined()
  finder.check()
  expect(finder.find('Car')).toBeUndefined()
  expect(() => finder.check()).toThrow("Label 'Car' is not registered for this task")
  finder.find('tree')
  expect(() => finder.check()).toThrow("Labels 'Car', 'tree' are not registered for this task")
})

describe('the attribute value of a file', () => {
  const cases: [string, unknown, string | undefined][] = [
    ['text', 'Fiat', 'Fiat'],
    ['number', 2.5, '2.5'],
    ['number', 1, '1'],
    ['text', true, 'true'],
    ['checkbox', true, 'true'],
    ['checkbox', 'False', 'false'],
    ['text', null, undefined],
  ]
  test.each(cases)('for a %s: %j is stored as %j', (input_type, value, expected) => {
    expect(storedValue(spec({ input_type }), value, {})).toBe(expected)
  })

  test('is refused when it is invalid', () => {
    expect(() => storedValue(spec({ input_type: 'checkbox' }), 1, { file: 'f' })).toThrow(
      'f: attribute "a" is "1", expected true or false',
    )
    expect(() => storedValue(spec({}), {}, {})).toThrow('attribute "a" is no text, number')
  })
})

test('every attribute is written, with its default when no value is stored', () => {
  const attributes = [
    spec({ id: 1, name: 'doors', input_type: 'number', default_value: '4' }),
    spec({ id: 2, name: 'parked', input_type: 'checkbox', default_value: 'False' }),
    spec({ id: 3, name: 'plate' }),
  ]
  const label = labelOf({ name: 'car', attributes })
  expect(writtenValues(label, [{ spec_id: 3, value: 'X 1' }], {})).toEqual([
    ['doors', 4],
    ['parked', false],
    ['plate', 'X 1'],
  ])
  const refused = (spec_id: number, value: string) => () =>
    writtenValues(label, [{ spec_id, value }], { record: 'car' })
  expect(refused(1, '')).toThrow('car: attribute "doors" is "", expected a number')
  expect(refused(2, '1')).toThrow('car: attribute "parked" is "1", expected true or false')
})

test('immutable attributes of a track are stored with the track', () => {
  const label = labelOf({
    name: 'car',
    attributes: [spec({ id: 1 }), spec({ id: 2, mutable: true })],
  })
  const [fixed, changing] = [
    { spec_id: 1, value: 'a' },
    { spec_id: 2, value: 'b' },
  ]
  expect(splitByMutable(label, [changing, fixed])).toEqual({ track: [fixed], shape: [changing] })
})

function spec(given: Partial<AttributeSpec>): AttributeSpec {
  const rest = { input_type: 'text', values: [], default_value: '' }
  return { id: 1, name: 'a', mutable: false, ...rest, ...given }
}
