import { projectRecord } from '@reticle/contracts/testing/records'
import { keyHandlers } from '@reticle/kit/keys/keys'
import { idempotencyKeysTable } from '@reticle/kit/keys/table'
import { bytesOf, readAllBytes } from '@reticle/kit/testing/bytes'
import { testDb } from '@reticle/kit/testing/db'
import { beforeEach, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

/** `Idempotency-Key` below the mount: the stored response is repeated in the dialect of the first request. */

interface Tables {
  idempotency_keys: {
    id: string
    answer: Buffer | null
    leased_until_date: Date
    created_date: Date
  }
}
const up = (schema: Parameters<typeof idempotencyKeysTable>[0]) =>
  idempotencyKeysTable(schema, 'keys')
const db = await testDb<Tables>({ '0001-keys': { up } }, 'keys')

const written: string[] = []
const { send } = await startTestGateway({
  services: {
    keys: keyHandlers(db),
    projects: { createProject: async () => projectRecord() },
    annotations: {
      replaceJobAnnotations: async ({ body }) => {
        written.push((await readAllBytes(body)).toString())
        return { head: { etag: '"a31-1"' }, chunks: bytesOf(written.at(-1) ?? '') }
      },
    },
  },
})
beforeEach(() => {
  written.length = 0
})

const set = '{"shapes":[{"type":"ellipse","points":[32,24,42.5,20.25]}]}'
const here = '{"shapes":[{"type":"ellipse","points":[32,24,10.5,3.75]}]}'

const make = (mount: string, key: string) =>
  send(`${mount}/api/projects`, {
    method: 'POST',
    body: { name: 'x' },
    headers: { 'idempotency-key': key },
  })
const put = (mount: string, key: string, body = set) =>
  send(`${mount}/api/jobs/31/annotations`, {
    method: 'PUT',
    body,
    headers: { 'idempotency-key': key, 'content-type': 'application/json' },
  })

test('a repeated request returns the record with the links of its dialect', async () => {
  const first = await make('/as/cvat', 'one')
  const again = await make('/as/cvat', 'one')
  expect([again.status, again.text]).toEqual([201, first.text])
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect(first.text).toContain('/as/cvat/api/labels?project_id=7')
})

test('a repeated write stores the native set once and returns it in the dialect', async () => {
  const first = await put('/as/cvat', 'set')
  const again = await put('/as/cvat', 'set')
  expect(written).toEqual([here])
  expect([first.text, again.text]).toEqual([set, set])
  expect((await put('/as/cvat', 'set', here)).status).toBe(409)
})

test.each([
  ['/as/cvat', ''],
  ['', '/as/cvat'],
])('a key of "%s" is another request on "%s"', async (one, other) => {
  const key = `key ${one}`
  expect((await make(one, key)).status).toBe(201)
  const { status, headers } = await make(other, key)
  expect([status, headers['x-error-code']]).toEqual([409, 'idempotency_key_reused'])
})
