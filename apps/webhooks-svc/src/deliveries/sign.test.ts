import { verify } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { headersOf } from './sign.ts'

const now = new Date()
const to = { webhook_id: 5, delivery_id: '0f2c', event: 'update:task', sequence: 17 }
const tricky = '{"name":"grüße 東京 \u2028","sum":0.30000000000000004,"n":"\\u0000"}'

test('the signature is that of the contract', () => {
  const headers = headersOf(to, Buffer.from('{"event":"ping"}'), ['mykey'], now)
  expect(headers['x-signature-256']).toBe(
    'sha256=1f5798c87606e84755188883051bce08f01a46e2a12b032a76be1cb6f8c2e76e',
  )
})

test('a verifier of the sha256= family accepts the raw bytes', async () => {
  const headers = headersOf(to, Buffer.from(tricky), ['sécret'], now)
  expect(await verify('sécret', tricky, headers['x-signature-256'] ?? '')).toBe(true)
})

test.each([
  ['any text', 'sécret', () => new Webhook(Buffer.from('sécret'), { format: 'raw' })],
  [
    'whsec_ and base64',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    (own: string) => new Webhook(own),
  ],
] as const)('a Standard Webhooks verifier accepts a secret of %s', (_title, secret, verifier) => {
  const headers = headersOf(to, Buffer.from(tricky), [secret], now)
  expect(verifier(secret).verify(tricky, headers)).toEqual(JSON.parse(tricky))
})

test('without a secret nothing is signed, the other headers are there', () => {
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

test('of two secrets both sign for the standard, the first one for the contract', async () => {
  const headers = headersOf(to, Buffer.from(tricky), ['one', 'two'], now)
  for (const secret of ['one', 'two']) {
    const verifier = new Webhook(Buffer.from(secret), { format: 'raw' })
    expect(verifier.verify(tricky, headers)).toEqual(JSON.parse(tricky))
  }
  expect(await verify('one', tricky, headers['x-signature-256'] ?? '')).toBe(true)
})
