import { expect, test } from 'vitest'
import { nextPathOf } from './next-path.ts'

const of = (next: string) => nextPathOf(new URLSearchParams({ next }))

test('a path of the console is accepted', () => {
  expect(of('/invitations/abc?org=x')).toBe('/invitations/abc?org=x')
})

test.each(['', 'https://elsewhere.test/', '//elsewhere.test', '/\\elsewhere.test', 'javascript:0'])(
  '%s is not accepted',
  (next) => expect(of(next)).toBe('/projects'),
)
