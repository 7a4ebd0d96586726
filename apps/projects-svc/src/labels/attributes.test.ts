import type { AttributeWrite } from '@reticle/contracts/rest/labels'
import { growthOf } from '@reticle/kit/testing/growth'
import { describe, expect, test } from 'vitest'
import { planAttributes } from './attributes.ts'
import type { AttributeDraft } from './draft.ts'

/** Below the ratio of a quadratic cost, which is 100. */
const most = 40

/** Attribute definitions. */

const select: AttributeDraft = {
  id: 90,
  name: 'size',
  mutable: true,
  input_type: 'select',
  default_value: 'small',
  values: ['small', 'large'],
}
const number: AttributeDraft = {
  id: 91,
  name: 'age',
  mutable: false,
  input_type: 'number',
  default_value: '0',
  values: ['0', '10', '1'],
}
const text: AttributeDraft = { ...select, id: 92, name: 'note', input_type: 'text', values: [] }
const all = [select, number, text]
const plan = (items: AttributeWrite[], current = all) =>
  planAttributes(current, items, ['attributes'])
const made = (item: AttributeWrite) =>
  plan([{ name: 'new', mutable: false, ...item }], []).attributes[0]

describe('a new attribute', () => {
  test.each([
    ['select', ['b', 'a'], 'b'],
    ['radio', ['x'], 'x'],
    ['number', ['3', '9', '2'], '3'],
    ['checkbox', [], 'false'],
    ['checkbox', ['true'], 'false'],
    ['text', [], ''],
  ] as const)('of type %s with %j has the default %j', (input_type, values, expected) => {
    const { default_value } = made({ input_type, values: [...values] }) ?? {}
    expect(default_value).toBe(expected)
  })

  test.each(['name', 'mutable', 'input_type', 'values'] as const)('requires %s', (field) => {
    const item = { name: 'new', mutable: false, input_type: 'text' as const, values: [] }
    expect(() => plan([{ ...item, [field]: undefined }], [])).toThrowError(
      expect.objectContaining({
        code: 'required',
        body: { attributes: [{ [field]: ['This field is required.'] }] },
      }),
    )
  })

  test.each([
    [{ input_type: 'select', values: [] }, 'values'],
    [{ input_type: 'radio', values: ['a', 'b', 'a'] }, 'values'],
    [{ input_type: 'number', values: ['0', '10'] }, 'values'],
    [{ input_type: 'number', values: ['5', '1', '1'] }, 'values'],
    [{ input_type: 'number', values: ['0', '1', '0'] }, 'values'],
    [{ input_type: 'number', values: ['0', 'x', '1'] }, 'values'],
    [{ input_type: 'number', values: ['0', '', '1'] }, 'values'],
    [{ input_type: 'text', values: Array.from({ length: 21 }, () => 'x'.repeat(200)) }, 'values'],
    [{ input_type: 'number', values: ['0', '10', '1'], default_value: '11' }, 'default_value'],
    [{ input_type: 'number', values: ['0', '10', '1'], default_value: 'x' }, 'default_value'],
    [{ input_type: 'select', values: ['a'], default_value: 'b' }, 'default_value'],
    [{ input_type: 'checkbox', values: [], default_value: 'maybe' }, 'default_value'],
  ] as const)('%j is rejected with an error of %s', (item, field) => {
    expect(() => made({ ...item, values: [...item.values] })).toThrowError(
      expect.objectContaining({ body: { attributes: [{ [field]: [expect.any(String)] }] } }),
    )
  })
})

describe('an existing attribute', () => {
  test('can change its name and default', () => {
    const [changed] = plan([{ id: 90, name: 'extent', default_value: 'large' }]).attributes
    expect(changed).toEqual({ ...select, name: 'extent', default_value: 'large' })
  })

  test('is also found by its name', () => {
    const [changed, ...others] = plan([{ name: 'size', default_value: 'large' }]).attributes
    expect(changed).toMatchObject({ id: 90, default_value: 'large' })
    expect(others).toEqual([number, text])
  })

  test('accepts more options in any order, but must keep the existing ones', () => {
    const values = ['large', 'huge', 'small']
    expect(plan([{ id: 90, values }]).attributes[0]).toMatchObject({ values })
    expect(() => plan([{ id: 90, values: ['small'] }])).toThrowError(
      expect.objectContaining({
        body: { attributes: [{ values: ['Options can only be added: "large" is missing.'] }] },
      }),
    )
  })

  test.each([
    [{ id: 90, mutable: false }, 'mutable'],
    [{ id: 90, input_type: 'radio' as const }, 'input_type'],
    [{ id: 91, values: ['0', '11', '1'] }, 'values'],
  ])('%j is rejected with an error of %s', (item, field) => {
    expect(() => plan([item])).toThrowError(
      expect.objectContaining({ body: { attributes: [{ [field]: [expect.any(String)] }] } }),
    )
  })

  test('of type text accepts any values', () => {
    expect(plan([{ id: 92, values: ['any'] }]).attributes[2]).toMatchObject({ values: ['any'] })
  })

  test('is removed when marked as deleted', () => {
    expect(plan([{ id: 91, deleted: true }])).toEqual({ attributes: [select, text], removed: [91] })
  })

  test('cannot take the name of another attribute', () => {
    expect(() => plan([{ id: 90, name: 'age' }])).toThrowError(
      expect.objectContaining({
        body: { attributes: ['All attribute names of a label must be unique.'] },
      }),
    )
  })
})

test.each([
  ['a new attribute', []],
  ['a known one', all],
])('too many options of %s are rejected in time linear in their number', (_, current) => {
  const refuse = (length: number) => {
    const values = Array.from({ length }, (_one, index) => `v${index}`)
    const item = { name: 'size', mutable: true, input_type: 'select' as const, values }
    expect(() => plan([item], current)).toThrowError(
      expect.objectContaining({
        body: { attributes: [{ values: [expect.stringContaining('no more than 4096')] }] },
      }),
    )
  }
  expect(growthOf(refuse, 20_000, most)).toBeLessThan(most)
})

test('changes by name take time linear in their number', () => {
  const many = Array.from({ length: 5000 }, (_, index) => ({
    ...text,
    id: index + 1,
    name: `a${index}`,
  }))
  const change = (length: number) => {
    const items = Array.from({ length }, () => ({ name: 'a4999', default_value: 'x' }))
    expect(plan(items, many).attributes.at(-1)).toMatchObject({ id: 5000, default_value: 'x' })
  }
  expect(growthOf(change, 15_000, most)).toBeLessThan(most)
})

test('a renamed attribute frees its name for another', () => {
  const items = [
    { id: 90, name: 'age' },
    { id: 91, name: 'size' },
    { name: 'size', default_value: '3' },
  ]
  expect(plan(items).attributes).toMatchObject([
    { id: 90, name: 'age' },
    { id: 91, name: 'size', default_value: '3' },
    { id: 92 },
  ])
})

test('a deletion requires an id', () => {
  expect(() => plan([{ name: 'size', deleted: true }])).toThrowError(
    expect.objectContaining({ body: { attributes: [{ deleted: [expect.any(String)] }] } }),
  )
})
