import type { CloudStorage } from '@reticle/contracts/rest/cloud-storages'
import { FormData } from 'undici'
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

/** Bodies in JSON and as a form, for an operation that accepts both. */

let bodies: unknown[] = []
beforeEach(() => {
  bodies = []
})
const record: CloudStorage = {
  id: 9,
  provider_type: 'AWS_S3_BUCKET',
  resource: 'frames',
  display_name: 'x',
  description: '',
  credentials_type: 'ANONYMOUS_ACCESS',
  specific_attributes: '',
  manifests: [],
  owner: null,
  organization: null,
  created_date: '2026-03-01T00:00:00.000Z',
  updated_date: '2026-03-01T00:00:00.000Z',
}
const { send } = await startTestGateway({
  settings: { maxBodyBytes: 200_000 },
  services: {
    storages: {
      async createCloudStorage({ body }) {
        bodies.push(body)
        return record
      },
    },
  },
})

const given = {
  provider_type: 'GOOGLE_CLOUD_STORAGE',
  resource: 'frames',
  display_name: 'x',
  credentials_type: 'KEY_FILE_PATH',
}
type Part = [field: string, content: string | Uint8Array, filename?: string]

function form(...parts: Part[]): FormData {
  const data = new FormData()
  for (const [field, value] of Object.entries(given)) data.append(field, value)
  for (const [field, content, filename] of parts) {
    if (filename === undefined) data.append(field, String(content))
    else data.append(field, new Blob([content as string]), filename)
  }
  return data
}
const post = (body: object | string, headers?: Record<string, string>) =>
  send('/api/cloudstorages', { method: 'POST', body, headers })

test('a form has the same meaning as JSON', async () => {
  const manifests = ['b.jsonl', 'a.jsonl']
  expect((await post({ ...given, manifests, key_file: '{"a":1}' })).status).toBe(201)
  const same = form(
    ['manifests[1]', 'a.jsonl'],
    ['manifests[0]', 'b.jsonl'],
    ['key_file', '{"a":1}', 'key.json'],
  )
  expect((await post(same)).status).toBe(201)
  expect(bodies).toEqual([
    { ...given, manifests, key_file: '{"a":1}' },
    { ...given, manifests, key_file: '{"a":1}' },
  ])
})

describe('a form is refused', () => {
  test.each<[string, Part[], string]>([
    ['with a field twice', [['resource', 'other']], 'resource'],
    ['with a file that is also a field', [['resource', 'x', 'x.txt']], 'resource'],
    [
      'with a list that is also a field',
      [
        ['manifests', 'a'],
        ['manifests[0]', 'a'],
      ],
      'manifests',
    ],
    ['with a file that is too large', [['key_file', 'x'.repeat(70_000), 'k']], 'key_file'],
    ['with a field that is too long', [['display_name[0]', 'x']], 'display_name'],
  ])('for %s, with the name of the field', async (_, parts, field) => {
    const { status, json } = await post(form(...parts))
    expect([status, Object.keys(Object(json()))]).toEqual([400, [field]])
    expect(bodies).toEqual([])
  })

  test('for a file that is not text', async () => {
    const data = form()
    data.append('key_file', new Blob([Buffer.from([0xff, 0xfe, 0x00])]), 'k')
    expect((await post(data)).status).toBe(400)
  })

  test('above the size limit of a body', async () => {
    const data = form(['description', 'x'.repeat(60_000)], ['a', 'x'.repeat(60_000)])
    for (const name of ['b', 'c', 'd']) data.append(name, 'x'.repeat(60_000))
    expect((await post(data)).status).toBe(413)
  })
})

test('other content types are refused', async () => {
  const type = 'application/x-www-form-urlencoded'
  expect((await post('a=1', { 'content-type': type })).status).toBe(415)
})

test('a removed path names its replacement', async () => {
  const { status, json } = await send('/api/cloudstorages/9/content')
  expect([status, json()]).toMatchObject([
    410,
    { detail: expect.stringContaining('/cloudstorages/{id}/content-v2') },
  ])
})
