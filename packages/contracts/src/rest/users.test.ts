import { expect, test } from 'vitest'
import { email } from './users.ts'

test.each(['', 'a@b', 'ann.a+b@example.org', 'ü@exämple.org', `${'a'.repeat(64)}@b.c`])(
  '%j is accepted as an e-mail address',
  (given) => {
    expect(email.safeParse(given).success).toBe(true)
  },
)

test.each([
  ...['a', '@b', 'a@', 'a@b.', 'a@.b', 'a@b..c', 'a@b@c', 'a b@c', 'a@b c', 'a,@b', 'a@b_c'],
  `${'a'.repeat(65)}@b`,
  `a@${'b.'.repeat(200_000)}`,
  `${'@'.repeat(200_000)}`,
])('%j is rejected as an e-mail address', (given) => {
  expect(email.safeParse(given).success).toBe(false)
})
