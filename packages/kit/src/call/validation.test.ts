import { flag, integer, text } from '@reticle/contracts/rest/common'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { invalidInput, toDomainError } from './errors.ts'
import { formatIssue } from './validation.ts'

/** Shapes and texts of validation errors. See docs/spec/rest.md#errors. */

function refused(schema: z.ZodType, given: unknown) {
  const { error } = schema.safeParse(given, { error: formatIssue })
  if (!error) throw new Error(`${JSON.stringify(given)} was accepted`)
  return invalidInput(error.issues)
}

const record = z
  .object({
    name: text(5, 1),
    size: integer.optional(),
    ratio: z.number().min(0).max(1).optional(),
    yes: flag.optional(),
    kind: z.enum(['a', 'b']).optional(),
    inner: z.object({ id: integer }).optional(),
    items: z.array(z.object({ name: text(5) })).optional(),
    code: z.string().min(3).optional(),
  })
  .strict()

test.each([
  [{}, { name: ['This field is required.'] }],
  [{ name: null }, { name: ['This field may not be null.'] }],
  [{ name: '  ' }, { name: ['This field may not be blank.'] }],
  [{ name: 'abcdef' }, { name: ['Ensure this field has no more than 5 characters.'] }],
  [{ name: true }, { name: ['Not a valid string.'] }],
  [{ name: 'a', code: 'ab' }, { code: ['Ensure this field has at least 3 characters.'] }],
  [{ name: 'a', size: 'x' }, { size: ['A valid integer is required.'] }],
  [{ name: 'a', size: 1.5 }, { size: ['A valid integer is required.'] }],
  [
    { name: 'a', size: 2_147_483_648 },
    { size: ['Ensure this value is less than or equal to 2147483647.'] },
  ],
  [{ name: 'a', ratio: 'x' }, { ratio: ['A valid number is required.'] }],
  [{ name: 'a', ratio: -1 }, { ratio: ['Ensure this value is greater than or equal to 0.'] }],
  [{ name: 'a', yes: 'maybe' }, { yes: ['Must be a valid boolean.'] }],
  [{ name: 'a', kind: 'c' }, { kind: ['"c" is not a valid choice.'] }],
  [{ name: 'a', inner: {} }, { inner: { id: ['This field is required.'] } }],
  [{ name: 'a', inner: [] }, { inner: ['Invalid data. Expected a dictionary, but got list.'] }],
  [{ name: 'a', items: 'x' }, { items: ['Expected a list of items but got type "str".'] }],
  [{ name: 'a\0' }, { name: ['Null characters and unpaired surrogates are not allowed.'] }],
])('%j is rejected with %j', (given, body) => {
  expect(refused(record, given)).toMatchObject({ kind: 'invalid', body })
})

test('an error of an item keeps its position in the list', () => {
  const items = [{ name: 'a' }, { name: 'abcdef' }, {}, { name: 'b' }]
  expect(refused(record, { name: 'a', items }).body).toEqual({
    items: [
      {},
      { name: ['Ensure this field has no more than 5 characters.'] },
      { name: ['This field is required.'] },
    ],
  })
})

test('errors of all fields are reported at once', () => {
  expect(Object.keys(Object(refused(record, { kind: 'c', size: 'x' }).body))).toEqual([
    'name',
    'size',
    'kind',
  ])
})

test('an unknown key is an error of that key, with a separate code', () => {
  expect(refused(record, { name: 'a', colour: 'red' })).toMatchObject({
    code: 'unknown_field',
    body: { colour: ['This field cannot be updated.'] },
  })
})

test.each([
  [{}, 'required'],
  [{ name: null }, 'invalid'],
  [{ name: 'abcdef' }, 'invalid'],
])('the code of %j is %s', (given, code) => {
  expect(refused(record, given).code).toBe(code)
})

test.each([
  [[], 'list'],
  ['x', 'str'],
  [3, 'number'],
])('%j instead of an object is an error of the whole value', (given, name) => {
  expect(refused(record, given).body).toEqual({
    non_field_errors: [`Invalid data. Expected a dictionary, but got ${name}.`],
  })
})

test('an error about several fields appears beside those of the fields', () => {
  const range = z
    .object({ from: integer, to: integer })
    .refine(({ from, to }) => from <= to, { error: 'from is after to' })
  expect(refused(range, { from: 2, to: 1 }).body).toEqual({
    non_field_errors: ['from is after to'],
  })
})

test('a validation error of zod in a handler is a 400 by field, and any other error is a bug', () => {
  const { error } = record.safeParse({})
  expect(toDomainError(error)).toMatchObject({ kind: 'invalid', code: 'required' })
  expect(toDomainError(new TypeError('x'))).toMatchObject({
    kind: 'internal',
    message: 'Internal server error',
  })
})

test('a text that names its field itself replaces the other errors', () => {
  const schema = z.object({
    size: integer,
    filter: z.string().transform((_, context) => {
      const issue = { code: 'custom', message: 'filter: no', params: { free_text: true } } as const
      context.addIssue(issue)
      return z.NEVER
    }),
  })
  const refusal = refused(schema, { size: 'x', filter: '{' })
  expect(refusal).toMatchObject({ body: ['filter: no'], code: 'invalid' })
})
