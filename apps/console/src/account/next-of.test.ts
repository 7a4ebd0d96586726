import { expect, test } from 'vitest'
import { nextOf } from './next-of.ts'

const of = (next: string) => nextOf(new URLSearchParams({ next }))

test('goes on to a page of the console', () => {
  expect(of('/invitations/abc?org=x')).toBe('/invitations/abc?org=x')
})

test.each(['', 'https://elsewhere.test/', '//elsewhere.test', '/\\elsewhere.test', 'javascript:0'])(
  'not to %s',
  (next) => expect(of(next)).toBe('/projects'),
)
