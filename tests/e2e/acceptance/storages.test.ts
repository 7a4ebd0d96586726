import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startS3 } from '@reticle/kit/testing/s3-server'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { bucketOf } from '../../support/buckets.ts'
import type { AnyJson, ApiClient, ApiResponse } from '../../support/client.ts'
import { markedFor } from '../../support/document-blocks.ts'
import { createImage } from '../../support/pictures.ts'
import { dataDirectory, password, type Reticle, startReticle } from '../../support/reticle.ts'

/** Secrets that no answer or log may contain. */
const planted = {
  key: 'CANARYKEY0123456789',
  secret: 'canary-secret-0123456789',
  other: 'canary-other-0123456789',
  token: 'canary-token-0123456789',
  account: 'canary-account-key-0123456789',
}
const store = await startS3(planted.key, planted.secret)
const { path, remove } = dataDirectory()
let reticle: Reticle
let admin: ApiClient
/** Every body that the server returned. */
const answered: string[] = []

beforeAll(async () => {
  reticle = await startReticle(path, { RETICLE_LOG_LEVEL: 'debug' })
  admin = reticle.admin
})
afterAll(async () => {
  await reticle.stop()
  await store.close()
  remove()
})

interface Sent {
  json?: AnyJson
  form?: FormData
}

/** Retries, because a shared machine may be too busy for a moment. */
async function call(
  method: string,
  url: string,
  sent: Sent = {},
  tries = 60,
): Promise<ApiResponse> {
  const answer = await admin.call(method, url, sent)
  answered.push(answer.text)
  if (tries === 0 || !answer.text.includes('The server is busy.')) return answer
  await sleep(250)
  return call(method, url, sent, tries - 1)
}
const connect = (json: AnyJson): Promise<ApiResponse> => call('POST', '/cloudstorages', { json })

async function connected(name: string, objects: Record<string, string | Uint8Array> = {}) {
  const { status, body, text } = await connect(bucketOf(store, name, objects))
  expect(status, text).toBe(201)
  return body
}

describe('connecting a bucket that cannot be used', () => {
  test.each([
    [
      'not accessible with the credentials',
      { key: 'AKIDOTHER', secret_key: planted.other },
      'credentials',
    ],
    ['missing', { resource: 'nothing-here' }, 'resource'],
    ['unreachable', { specific_attributes: 'endpoint_url=http%3A%2F%2F127.0.0.1%3A1' }, 'resource'],
    ['misspelt', { resource: 'Frames' }, 'resource'],
    ['without a listed manifest', { manifests: ['none.jsonl'] }, 'manifests'],
    ['sent without a secret', { secret_key: undefined }, 'secret_key'],
    [
      'at a link-local address',
      { specific_attributes: 'endpoint_url=http%3A%2F%2F169.254.169.254' },
      'specific_attributes',
    ],
    ['of an unknown provider', { provider_type: 'FLOPPY' }, 'provider_type'],
  ])('a bucket that is %s is refused', async (_, wrong, field) => {
    const { status, body } = await connect({ ...bucketOf(store, 'probed'), ...wrong })
    expect([status, Object.keys(body)]).toEqual([400, [field]])
    const { count } = (await call('GET', '/cloudstorages?resource=probed')).body
    expect(count).toBe(0)
  })

  test('a change that makes a bucket unusable is refused', async () => {
    const { id } = await connected('changed')
    const before = (await call('GET', `/cloudstorages/${id}`)).body
    const json = { secret_key: planted.other, key: 'AKIDOTHER' }
    const refused = await call('PATCH', `/cloudstorages/${id}`, { json })
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['credentials']])
    expect((await call('GET', `/cloudstorages/${id}`)).body).toEqual(before)
    const renamed = { display_name: 'Others', provider_type: 'AZURE_CONTAINER' }
    const { body } = await call('PATCH', `/cloudstorages/${id}`, { json: renamed })
    expect(body).toMatchObject({ display_name: 'Others', provider_type: 'AWS_S3_BUCKET' })
  })
})

test('the command in docs/operations.md connects a bucket', async () => {
  const [line = ''] = markedFor('docs/operations.md', 'tests/e2e/acceptance/storages.test.ts')
  const { key, secret_key, specific_attributes } = bucketOf(store, 'acme-frames')
  const own = line
    .replace('AKIA...', key)
    .replace('"secret_key": "..."', `"secret_key": "${secret_key}"`)
    .replace('region=', `${specific_attributes}&region=`)
  const env = { ...process.env, API: `${reticle.url}/api`, PASSWORD: password }
  const { stdout } = await promisify(execFile)('bash', ['-euc', own], { env })
  expect(JSON.parse(stdout)).toMatchObject({ resource: 'acme-frames', display_name: 'Raw frames' })
})

test('content is listed level by level, in pages, below a prefix', async () => {
  const objects = { '2026/a/1.jpg': '', '2026/a/b/2.jpg': '', '2026/x.zip': '', 'y.txt': '' }
  const { id } = await connected('paged', objects)
  const list = (query: string) => call('GET', `/cloudstorages/${id}/content-v2${query}`)
  expect((await list('')).body).toEqual({
    content: [
      { name: '2026', type: 'DIR', mime_type: 'DIR' },
      { name: 'y.txt', type: 'REG', mime_type: 'unknown' },
    ],
    next: null,
  })
  const first = (await list('?prefix=2026%2F&page_size=1')).body
  expect(first).toMatchObject({ content: [{ name: 'a' }], next: expect.any(String) })
  const token = encodeURIComponent(first.next)
  const second = (await list(`?prefix=2026%2F&page_size=1&next_token=${token}`)).body
  expect(second).toEqual({
    content: [{ name: 'x.zip', type: 'REG', mime_type: 'archive' }],
    next: null,
  })
  for (const [query, field] of [
    ['?page_size=0', 'page_size'],
    ['?page_size=501', 'page_size'],
    ['?next_token=!', 'next_token'],
    ['?manifest_path=y.txt', 'manifest_path'],
  ]) {
    const { status, body } = await list(query ?? '')
    expect([query, status, Object.keys(body)]).toEqual([query, 400, [field]])
  }
  expect((await call('GET', `/cloudstorages/${id}/content`)).status).toBe(410)
  store.buckets.delete('paged')
  expect((await list('')).status).toBe(404)
  expect((await call('GET', `/cloudstorages/${id}/status`)).body).toBe('NOT_FOUND')
})

test('a form connects a bucket, and its first image becomes the preview', async () => {
  const { bytes } = await createImage('a.png', 600, 300)
  const line = JSON.stringify({ name: 'deep/a', extension: '.png' })
  const objects = { 'm.jsonl': `{"version":"1.1"}\n${line}\n`, 'deep/a.png': bytes }
  const form = new FormData()
  for (const [name, value] of Object.entries(bucketOf(store, 'formed', objects)))
    form.append(name, String(value))
  form.append('manifests[0]', 'm.jsonl')
  const { status, body } = await call('POST', '/cloudstorages', { form })
  expect([status, body.manifests]).toEqual([201, ['m.jsonl']])
  const preview = await admin.bytes(`/cloudstorages/${body.id}/preview`)
  const { width, height, format } = await sharp(preview.bytes).metadata()
  expect([preview.status, format, width, height]).toEqual([200, 'png', 256, 128])
  expect((await call('GET', `/cloudstorages/${body.id}/status`)).body).toBe('AVAILABLE')
  expect((await call('GET', `/cloudstorages/${body.id}/actions`)).body).toEqual(['read', 'write'])
  const manifest = `/cloudstorages/${body.id}/content-v2?manifest_path=m.jsonl&prefix=deep%2F`
  expect((await call('GET', manifest)).body.content).toMatchObject([{ name: 'a.png' }])
  const { id } = await connected('without-images')
  expect((await call('GET', `/cloudstorages/${id}/preview`)).status).toBe(404)
})

test('a storage in use cannot be deleted (409) unless the deletion is forced', async () => {
  const { id } = await connected('used')
  const source_storage = { location: 'cloud_storage', cloud_storage_id: id }
  const json = { name: 'p', source_storage }
  const project = (await call('POST', '/projects', { json })).body
  expect(project.source_storage).toMatchObject(source_storage)
  const refused = await call('DELETE', `/cloudstorages/${id}`)
  expect([refused.status, refused.body.code]).toEqual([409, 'storage_in_use'])
  expect((await call('DELETE', `/cloudstorages/${id}?force=true`)).status).toBe(204)
  expect((await call('GET', `/cloudstorages/${id}`)).status).toBe(404)
  expect((await call('GET', `/projects/${project.id}`)).body.source_storage).toBeNull()
  const creation = await call('POST', '/projects', { json })
  expect([creation.status, Object.keys(creation.body)]).toEqual([400, ['source_storage']])
})

describe('credentials of storages are never shown', () => {
  test('no answer contains credentials', async () => {
    const { id } = await connected('secretive')
    const lent = { session_token: planted.token }
    expect((await call('PATCH', `/cloudstorages/${id}`, { json: lent })).status).toBe(200)
    const azure = {
      ...bucketOf(store, 'container'),
      provider_type: 'AZURE_CONTAINER',
      credentials_type: 'CONNECTION_STRING',
      specific_attributes: '',
    }
    const key = `AccountKey=${planted.account}`
    const { port } = new URL(store.url)
    for (const connection_string of [
      key,
      `AccountName=acc;${key};BlobEndpoint=http://127.0.0.1:${port}/acc`,
    ])
      expect((await connect({ ...azure, connection_string })).status).toBe(400)
    expect((await connect(keyForm())).status).toBe(400)
    const form = new FormData()
    for (const [name, value] of Object.entries(keyForm()))
      if (name !== 'key_file') form.append(name, String(value))
    form.append('key_file', new Blob([keyForm().key_file]), 'key.json')
    const sent = await call('POST', '/cloudstorages', { form })
    expect([sent.status, Object.keys(sent.body)]).toEqual([400, ['key_file']])
    await call('GET', '/cloudstorages?page_size=all')
    expect(leaks(answered.join('\n'))).toEqual([])
    expect(answered.join('\n')).toContain('secretive') // proves that answers were recorded
  })

  test('no event in the event log contains credentials', async () => {
    const exported = async () => {
      const started = (await call('POST', '/events/export')).body
      const { bytes } = await admin.bytes((await admin.finished(started)).result_url)
      const text = bytes.toString()
      for (const action of ['create', 'update', 'delete'])
        expect(text).toContain(`${action}:cloudstorage`)
      return text
    }
    const csv = await vi.waitFor(exported, { timeout: 60_000, interval: 200 })
    expect(leaks(csv)).toEqual([])
  })

  test('no log line of the process contains credentials', async () => {
    expect(leaks(reticle.output())).toEqual([])
  })
})

/** A key file that refers to another host. It is refused before any call is made. */
function keyForm() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const token_uri = `${store.url}/token`
  const file = { type: 'service_account', client_email: planted.token, private_key, token_uri }
  return {
    provider_type: 'GOOGLE_CLOUD_STORAGE',
    resource: 'frames',
    display_name: 'x',
    credentials_type: 'KEY_FILE_PATH',
    key_file: JSON.stringify(file),
  }
}

const leaks = (text: string) =>
  [...Object.values(planted), 'PRIVATE KEY'].filter((secret) => text.includes(secret))
