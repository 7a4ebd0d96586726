import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { headersOf } from './sign.ts'

/**
 * Runs the verifier that docs/webhooks.md shows to receivers. `npm run test:oracles` runs the Python and Go ones on
 * the same cases.
 */
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const [, code = ''] =
  /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/webhooks.md'), 'utf8')) ?? []
const folder = mkdtempSync(join(tmpdir(), 'reticle-verifier-'))
const file = join(folder, 'verifier.ts')
writeFileSync(file, code)
afterAll(() => rmSync(folder, { recursive: true }))
const { isGenuine } = await import(file)

interface Delivery {
  what: string
  secret: string
  body: string
  header: string | null
  genuine: boolean
}
const deliveries: Delivery[] = JSON.parse(
  readFileSync(join(root, 'tools/oracles/signatures.json'), 'utf8'),
)

test.each(deliveries)('the documented verifier decides correctly about $what', (delivery) => {
  const { secret, body, header, genuine } = delivery
  expect(isGenuine(Buffer.from(body), header ?? undefined, secret)).toBe(genuine)
  const to = { webhook_id: 5, delivery_id: '0f2c', event: 'update:task', sequence: 17 }
  const { 'x-signature-256': own } = headersOf(to, Buffer.from(body), [secret], new Date())
  expect(own === header).toBe(genuine)
})
