import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { headersOf } from './sign.ts'

/** The lines that docs/webhooks.md gives to receivers. */
const document = fileURLToPath(new URL('../../../../docs/webhooks.md', import.meta.url))
const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(document, 'utf8')) ?? []
const folder = mkdtempSync(join(tmpdir(), 'reticle-verifier-'))
const file = join(folder, 'verifier.ts')
writeFileSync(file, code)
afterAll(() => rmSync(folder, { recursive: true }))
const { isGenuine } = await import(file)

test('the verifier of the documentation takes what is signed, and nothing else', () => {
  const body = Buffer.from('{"name":"grüße \u2028","sum":0.30000000000000004}')
  const to = { webhook_id: 5, delivery_id: '0f2c', event: 'update:task', sequence: 17 }
  const { 'x-signature-256': header } = headersOf(to, body, ['between us'], new Date())
  expect(isGenuine(body, header, 'between us')).toBe(true)
  expect(isGenuine(body, header, 'another')).toBe(false)
  expect(isGenuine(Buffer.concat([body, body]), header, 'between us')).toBe(false)
  expect(isGenuine(body, undefined, 'between us')).toBe(false)
})
