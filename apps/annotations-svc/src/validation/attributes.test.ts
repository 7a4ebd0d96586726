import { describe, expect, test } from 'vitest'
import { checkObjects, findRefusal, value } from '../testing/checking.ts'
import { box } from '../testing/objects.ts'

/** Lengths of values are checked before any pattern is applied. */

const valued = (...attributes: unknown[]) => ({ ...box, attributes })
const tooLong = 'Ensure this field has no more than 4096 characters.'

test.each([
  ['a number of 40,000 digits', value(93, `${'1'.repeat(40_000)}x`)],
  ['an option of 80,000 characters', value(90, 'é'.repeat(80_000))],
  ['a checkbox of 80,000 spaces', value(92, ' '.repeat(80_000))],
  ['a text of 4,097 characters', value(91, '😀'.repeat(4097))],
])('%s is rejected because of its length', async (_, given) => {
  expect(await findRefusal('shape', [valued(given)])).toEqual({
    code: 'invalid',
    body: { shapes: [{ attributes: [{ value: [tooLong] }] }] },
  })
})

describe('numbers in attribute values', () => {
  test.each(['3', '3.', '+3', '.3e1', '30e-1', `3.${'0'.repeat(398)}`])(
    'the number %s is accepted',
    async (text) => {
      expect(await checkObjects('shape', [valued(value(93, text))])).toMatchObject([
        { attributes: expect.arrayContaining([value(93, text)]) },
      ])
    },
  )

  test.each(['', '.', '3..', '3e', '3 ', '0x3', `3.${'0'.repeat(399)}`])(
    'the number %j is rejected',
    async (text) => {
      expect(await findRefusal('shape', [valued(value(93, text))])).toMatchObject({
        code: 'attribute_value_invalid',
      })
    },
  )
})
