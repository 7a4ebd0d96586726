import { growthOf } from '@reticle/kit/testing/growth'
import { describe, expect, test } from 'vitest'
import { readAuthorization } from './authorization.ts'

const access = `abcd1234.${'x'.repeat(32)}`
const legacy = 'a'.repeat(40)
const basic = (text: string | Uint8Array) => `Basic ${Buffer.from(text).toString('base64')}`

test.each(['Token', 'Bearer', 'token', 'BEARER'])('%s accepts both kinds of token', (word) => {
  expect(readAuthorization(`${word} ${access}`)).toEqual({ kind: 'access', token: access })
  expect(readAuthorization(`${word}   ${legacy} `)).toEqual({ kind: 'legacy', token: legacy })
})

test('legacy tokens are hexadecimal in any case', () => {
  const { token } = readAuthorization(`Token ${'AB'.repeat(20)}`) as { token: string }
  expect(token).toBe('ab'.repeat(20))
})

test.each([
  ['zoë', 'pass:word'],
  ['a@example.org', ''],
  ['x', ' \t'],
])('the user name %j and the password %j are read from Basic', (username, password) => {
  const given = readAuthorization(basic(`${username}:${password}`))
  expect(given).toEqual({ kind: 'basic', username, password })
})

describe('a malformed header is rejected with 401', () => {
  test.each([
    ['', 'Authentication credentials were not provided.'],
    ['   ', 'Authentication credentials were not provided.'],
    [`Digest ${access}`, 'Authentication credentials were not provided.'],
    [access, 'Authentication credentials were not provided.'],
    ['Token', 'Invalid token.'],
    ['Bearer ', 'Invalid token.'],
    ['Token  x y', 'Invalid token.'],
    [`Token ${access} ${access}`, 'Invalid token.'],
    [`Token ${'x'.repeat(10_240)}`, 'Invalid token.'],
    ['Token zoë', 'Invalid token.'],
    [`Token ${legacy}0`, 'Invalid token.'],
    [`Token ${access}0`, 'Invalid token.'],
    ['Token abcd1234.', 'Invalid token.'],
    ['Basic', 'Invalid basic header. Credentials not correctly base64 encoded.'],
    ['Basic ???', 'Invalid basic header. Credentials not correctly base64 encoded.'],
    ['Basic YTpi YTpi', 'Invalid basic header. Credentials not correctly base64 encoded.'],
    [basic('nocolon'), 'Invalid basic header. Expected <user name or e-mail>:<password>.'],
    [basic(':password'), 'Invalid basic header. Expected <user name or e-mail>:<password>.'],
    [basic('a\0b:c'), 'Invalid basic header. Expected <user name or e-mail>:<password>.'],
    [basic(Buffer.from([0x61, 0xff, 0x3a])), 'Invalid basic header. Credentials are not UTF-8.'],
  ])('%j', (header, message) => {
    let thrown: unknown
    try {
      readAuthorization(header)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ kind: 'unauthenticated', message })
  })
})

test('a header full of spaces is rejected in time linear in its length', () => {
  const refuse = (length: number) =>
    expect(() => readAuthorization(`Token x${' '.repeat(length)}y`)).toThrow('Invalid token.')
  expect(growthOf(refuse, 10_000, 40)).toBeLessThan(40)
})
