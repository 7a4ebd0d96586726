import { expect, test } from 'vitest'
import { etagOf } from './etag.ts'

test.each([
  ['"7-r3-abc"', '"7-r3-abc"'],
  ['W/"7-r3-abc"', '"7-r3-abc"'],
  ['"a31-60"', '"a31-60"'],
])('the entity tag of a response with ETag %s is %s', (etag, expected) => {
  expect(etagOf({ headers: new Headers({ etag }) })).toBe(expected)
})

test('a response without ETag has an undefined entity tag', () => {
  expect(etagOf({ headers: new Headers() })).toBeUndefined()
})
