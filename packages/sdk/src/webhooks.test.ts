import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { verifyWebhook } from './index.ts'

const body = new TextEncoder().encode('{"event":"ping","name":"снимок"}')
const hmac = (secret: string | Buffer, text: string) =>
  createHmac('sha256', secret).update(text).update(body)
const contract = (secret: string) => `sha256=${hmac(secret, '').digest('hex')}`

const now = new Date('2026-03-01T10:00:00Z')
const at = String(now.getTime() / 1000)
const standard = (secrets: (string | Buffer)[], timestamp = at) => ({
  'webhook-id': 'm-1',
  'webhook-timestamp': timestamp,
  'webhook-signature': secrets
    .map((secret) => `v1,${hmac(secret, `m-1.${timestamp}.`).digest('base64')}`)
    .join(' '),
})

describe('a delivery with X-Signature-256', () => {
  test('is genuine with the right secret', async () => {
    expect(await verifyWebhook('s', body, contract('s'))).toBe(true)
    expect(await verifyWebhook('s', new TextDecoder().decode(body), contract('s'))).toBe(true)
    expect(await verifyWebhook('s', body, { 'X-Signature-256': contract('s') })).toBe(true)
    expect(await verifyWebhook(['new', 's'], body, contract('s'))).toBe(true)
  })

  test.each([
    ['of another secret', contract('t')],
    ['of another body', `sha256=${createHmac('sha256', 's').update('x').digest('hex')}`],
    ['without its name', contract('s').slice(7)],
    ['in capitals', contract('s').toUpperCase()],
    ['that is none', ''],
    ['that is missing', undefined],
  ])('is rejected with a signature %s', async (_, header) => {
    expect(await verifyWebhook('s', body, header)).toBe(false)
  })

  test('is rejected with an empty secret', async () => {
    expect(await verifyWebhook('', body, contract(''))).toBe(false)
    expect(await verifyWebhook([], body, contract('s'))).toBe(false)
  })
})

describe('a delivery with the headers of Standard Webhooks', () => {
  test('is genuine with the old and with the new secret', async () => {
    const headers = new Headers({ ...standard(['new', 'old']), 'x-signature-256': contract('new') })
    expect(await verifyWebhook('old', body, headers, { now })).toBe(true)
    expect(await verifyWebhook('new', body, headers, { now })).toBe(true)
    expect(await verifyWebhook('older', body, headers, { now })).toBe(false)
  })

  test('is genuine with a secret in Base64', async () => {
    const key = Buffer.from('the key itself')
    const secret = `whsec_${key.toString('base64')}`
    expect(await verifyWebhook(secret, body, standard([key]), { now })).toBe(true)
  })

  test('is rejected if it is too old or from the future', async () => {
    const late = new Date(now.getTime() + 301_000)
    const early = new Date(now.getTime() - 301_000)
    for (const one of [late, early])
      expect(await verifyWebhook('s', body, standard(['s']), { now: one })).toBe(false)
    const patient = { now: late, tolerance_seconds: 400 }
    expect(await verifyWebhook('s', body, standard(['s']), patient)).toBe(true)
    expect(await verifyWebhook('s', body, standard(['s'], 'soon'), { now })).toBe(false)
  })

  test('is rejected under another id', async () => {
    const headers = { ...standard(['s']), 'webhook-id': 'm-2' }
    expect(await verifyWebhook('s', body, headers, { now })).toBe(false)
  })
})
