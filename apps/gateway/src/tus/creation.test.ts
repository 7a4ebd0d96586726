import { beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestRequest } from '../testing/gateway.ts'

/** Creation of files that arrive in pieces. */

const largest = 64 * 1024 * 1024
const expires_date = '2026-03-01T22:00:00.000Z'
let created: unknown[] = []
beforeEach(() => {
  created = []
})

const { send } = await startTestGateway({
  settings: { maxUploadBytes: largest, trustedHops: 1 },
  services: {
    requests: {
      async createFile(input) {
        created.push(input)
        return { file_id: '3_f', expires_date }
      },
    },
  },
})

const version = { 'tus-resumable': '1.0.0' }
const base64 = (text: string) => Buffer.from(text).toString('base64')
const create = (headers: TestRequest['headers'], path = '/tasks/12/data/') =>
  send(`/api${path}`, { method: 'POST', headers: { ...version, ...headers } })
const named = (name: string, length = '5') => ({
  ...{ 'upload-length': length, 'upload-metadata': `filename ${base64(name)}` },
})
const location = '/api/tasks/12/data/3_f'

describe('the creation of a file', () => {
  test('returns a location below the host that proxies forwarded', async () => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'reticle.example.org' }
    const answer = await create({ ...named('folder/a.zip', '26843'), ...forwarded })
    expect([answer.status, answer.text]).toEqual([201, ''])
    expect(answer.headers).toMatchObject({
      location: `https://reticle.example.org${location}`,
      'upload-filename': 'folder/a.zip',
      'upload-expires': 'Sun, 01 Mar 2026 22:00:00 GMT',
      'tus-resumable': '1.0.0',
      'cache-control': 'no-store',
    })
    expect(created).toEqual([
      { purpose: 'data', target: 'task', id: 12, name: 'folder/a.zip', length: 26843 },
    ])
  })

  test('returns the id of an annotation file as its name', async () => {
    const answer = await create(named('a.json'), '/jobs/31/annotations/')
    expect(answer.headers).toMatchObject({
      location: expect.stringMatching(/^http:\/\/[^/]+\/api\/jobs\/31\/annotations\/3_f$/),
      'upload-filename': '3_f',
    })
    expect(created).toMatchObject([{ purpose: 'annotations', target: 'job', id: 31 }])
  })

  test('needs only the length, and ignores other metadata', async () => {
    const headers = { 'upload-length': '5', 'upload-metadata': `filetype eA==,filename YQ==,flag` }
    const answer = await send('/api/tasks/12/data', { method: 'POST', headers })
    expect(answer.status).toBe(201)
    expect(created).toMatchObject([{ name: 'a' }])
  })

  test('keeps names in any script and percent-encodes them in headers', async () => {
    const answer = await create(named('снимок 1.png'))
    expect(created).toMatchObject([{ name: 'снимок 1.png' }])
    expect(answer.headers['upload-filename']).toBe(`${encodeURIComponent('снимок')} 1.png`)
  })

  test.each<[string, TestRequest['headers'], number, string]>([
    ['no length', { 'upload-metadata': 'filename YQ==' }, 400, 'Upload-Length'],
    ['a length that is none', { ...named('a'), 'upload-length': '-1' }, 400, 'Upload-Length'],
    [
      'a length of 17 digits',
      { ...named('a'), 'upload-length': '9'.repeat(17) },
      400,
      'Upload-Length',
    ],
    ['no filename', { 'upload-length': '5' }, 400, 'Upload-Metadata'],
    [
      'an empty filename',
      { 'upload-length': '5', 'upload-metadata': 'filename' },
      400,
      'Upload-Metadata',
    ],
    [
      'a filename that is no Base64',
      { 'upload-length': '5', 'upload-metadata': 'filename a!b' },
      400,
      'Upload-Metadata',
    ],
    [
      'a filename that is no UTF-8',
      { 'upload-length': '5', 'upload-metadata': 'filename /w==' },
      400,
      'Upload-Metadata',
    ],
    ['a name that climbs', named('../etc/passwd'), 400, 'Upload-Metadata'],
    ['a name that climbs within', named('a/../../b'), 400, 'Upload-Metadata'],
    ['an absolute name', named('/etc/passwd'), 400, 'Upload-Metadata'],
    ['a name with a drive', named('C:/a.png'), 400, 'Upload-Metadata'],
    ['a name with backslashes', named('a\\..\\b'), 400, 'Upload-Metadata'],
    ['a name with an empty part', named('a//b'), 400, 'Upload-Metadata'],
    ['a name that is a folder', named('a/'), 400, 'Upload-Metadata'],
    ['a name with a part that is a dot', named('./a'), 400, 'Upload-Metadata'],
    ['a name with a NUL', named('a\0b'), 400, 'Upload-Metadata'],
    ['a name of 1,025 characters', named('a'.repeat(1025)), 400, 'Upload-Metadata'],
    [
      'a deferred length',
      { ...named('a'), 'upload-defer-length': '1' },
      400,
      'Upload-Defer-Length',
    ],
    [
      'files to be put together',
      { ...named('a'), 'upload-concat': 'partial' },
      400,
      'Upload-Concat',
    ],
  ])('is refused for %s', async (_, headers, status, field) => {
    const answer = await create(headers)
    expect(answer.status).toBe(status)
    expect(answer.json()).toEqual({ [field]: [expect.any(String)] })
    expect(answer.headers['tus-resumable']).toBe('1.0.0')
    expect(created).toEqual([])
  })

  test('accepts a name of 1,024 characters and the maximum size', async () => {
    expect((await create(named('a'.repeat(1024), String(largest)))).status).toBe(201)
  })

  test('refuses a larger file before its first byte', async () => {
    const answer = await create(named('a', String(largest + 1)))
    expect(answer.status).toBe(413)
    expect(answer.headers['tus-max-size']).toBe(String(largest))
    expect(created).toEqual([])
  })
})
