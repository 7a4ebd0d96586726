import { expect, test } from 'vitest'
import { etagOf } from './etag.ts'

test.each([
  ['"7-r3-abc"', '"7-r3-abc"'],
  ['W/"7-r3-abc"', '"7-r3-abc"'],
  ['"a31-60"', '"a31-60"'],
])('the entity tag of an answer with ETag %s is %s', (etag, expected) => {
  expect(etagOf({ headers: new Headers({ etag }) })).toBe(expected)
})

test('an answer without ETag has no entity tag', () => {
  expect(etagOf({ headers: new Headers() })).toBeUndefined()
})
