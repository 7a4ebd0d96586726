import { describe, expect, test } from 'vitest'
import { type Delivered, signsTime, verifiers } from '../testing/verifiers.ts'
import { headersOf } from './sign.ts'

const now = new Date()
const to = { webhook_id: 5, delivery_id: '0f2c', event: 'update:task', sequence: 17 }
/** Contains text that JSON.stringify would write differently: escapes, spaces, an unescaped line separator. */
const tricky = `{"name":"grüße 東京 \u2028","sum": ${0.1 + 0.2},"n":"\\u00fc\\u0000"}`

test('`X-Signature-256` has the documented value', () => {
  const headers = headersOf(to, Buffer.from('{"event":"ping"}'), ['mykey'], now)
  expect(headers['x-signature-256']).toBe(
    'sha256=1f5798c87606e84755188883051bce08f01a46e2a12b032a76be1cb6f8c2e76e',
  )
})

/** Changes that an attacker between sender and receiver could make. */
const tamperings: [string, 'always' | 'with the time', (given: Delivered) => Delivered][] = [
  ['one bit of the body', 'always', (given) => ({ ...given, body: flipped(given.body) })],
  [
    'a body that says the same in other bytes',
    'always',
    (given) => ({ ...given, body: Buffer.from(JSON.stringify(JSON.parse(String(given.body)))) }),
  ],
  [
    'the signatures of another body',
    'always',
    (given) => ({ ...given, headers: headersOf(to, Buffer.from('{}'), ['sécret'], now) }),
  ],
  ['no headers', 'always', (given) => ({ ...given, headers: {} })],
  [
    'a later time',
    'with the time',
    withHeader('webhook-timestamp', (text) => `${Number(text) + 1}`),
  ],
  ['the id of another', 'with the time', withHeader('webhook-id', () => '0f2d')],
  [
    'a time long past, rightly signed',
    'with the time',
    ({ body }) => ({
      body,
      headers: headersOf(to, body, ['sécret'], new Date(now.getTime() - 600_000)),
    }),
  ],
]

function flipped(body: Buffer): Buffer {
  const copy = Buffer.from(body)
  copy.writeUInt8(copy.readUInt8(10) ^ 1, 10)
  return copy
}

function withHeader(name: string, change: (text: string) => string) {
  return ({ body, headers }: Delivered): Delivered => ({
    body,
    headers: { ...headers, [name]: change(headers[name] ?? '') },
  })
}

describe.each(Object.entries(verifiers))('a receiver with %s (T-WH-8)', (name, accepts) => {
  const body = Buffer.from(tricky)

  test.each([
    ['any text', 'sécret', 'sècret'],
    ['whsec_ and base64', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_MfKQ'],
  ])('the raw bytes are accepted with a secret of %s', async (_title, secret, another) => {
    const given = { body, headers: headersOf(to, body, [secret], now) }
    expect(await accepts(secret, given)).toBe(true)
    expect(await accepts(another, given)).toBe(false)
  })

  const seen = tamperings.filter(([, when]) => when === 'always' || signsTime(name))
  test.each(seen)('a changed delivery is rejected: %s', async (_title, _when, tamper) => {
    const given = { body, headers: headersOf(to, body, ['sécret'], now) }
    expect(await accepts('sécret', given)).toBe(true)
    expect(await accepts('sécret', tamper(given))).toBe(false)
  })

  test('both secrets of a rotation are accepted, or only the new one where the header holds one signature', async () => {
    const given = { body, headers: headersOf(to, body, ['one', 'two'], now) }
    expect(await accepts('one', given)).toBe(true)
    expect(await accepts('two', given)).toBe(signsTime(name))
    expect(await accepts('three', given)).toBe(false)
  })
})

test('a delivery without a secret has all headers except signatures', () => {
  expect(headersOf(to, Buffer.from('{}'), [], new Date('2026-03-01T10:00:00.900Z'))).toEqual({
    'content-type': 'application/json',
    'x-webhook-id': '5',
    'x-webhook-event': 'update:task',
    'x-webhook-delivery': '0f2c',
    'x-webhook-timestamp': '1772359200',
    'x-webhook-sequence': '17',
    'webhook-id': '0f2c',
    'webhook-timestamp': '1772359200',
  })
})
