import { conflict, invalidText } from '@reticle/kit'
import { FormData } from 'undici'
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestRequest } from '../testing/gateway.ts'

/** Uploads in several calls (docs/spec/requests.md#uploads). */

let asked: [string, unknown][] = []
const note = (name: string, input: unknown) => void asked.push([name, input])
const bugs: unknown[] = []
beforeEach(async () => {
  asked = []
  await blobs.removePrefix('uploads')
})

const rq_id = 'action=create&target=task&target_id=12'
const { send, blobs } = await startTestGateway({
  bugs,
  services: {
    requests: {
      async checkUpload(input) {
        note('checkUpload', input)
        if (input.id === 409) throw conflict('running', { body: { rq_id } })
        return undefined
      },
      async openUpload(input) {
        note('openUpload', input)
        return { upload_id: 'u1', prefix: 'uploads/u1/' }
      },
      async openSession(input) {
        note('openSession', input)
        return { upload_id: 's1', prefix: 'uploads/s1/' }
      },
      async addFiles({ body }) {
        note('addFiles', body)
        if (body.task_id === 400) throw invalidText('no')
        return undefined
      },
      async startDataPreparation({ body }) {
        note('startDataPreparation', body)
        if (body.task_id === 400) throw invalidText('no')
        return { rq_id }
      },
      async startImport({ body }) {
        note('startImport', body)
        return { rq_id: 'action=import' }
      },
    },
  },
})

const post = (path: string, headers: TestRequest['headers'], body?: TestRequest['body']) =>
  send(`/api${path}`, { method: 'POST', body, headers })

async function keys(): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of blobs.list('uploads')) found.push(key)
  return found
}

/** Hexadecimal. */
const sha256 = /^[0-9a-f]{64}$/

function form(files: readonly string[], fields: Record<string, string> = {}): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  files.forEach((name, at) => {
    data.append(`client_files[${at}]`, new Blob([name]), name)
  })
  return data
}

const [started, multiple, finished] = [
  { 'upload-start': '' },
  { 'upload-multiple': '' },
  { 'upload-finish': '' },
] as const
const json = { 'content-type': 'application/json' }

describe('an upload of media in several calls', () => {
  test.each([{}, json])(
    'the first call has no body, for any content type, and neither has its response',
    async (headers) => {
      const answer = await post('/tasks/12/data/', { ...started, ...headers })
      expect([answer.status, answer.text]).toEqual([202, ''])
      expect(asked).toEqual([['checkUpload', { purpose: 'data', target: 'task', id: 12 }]])
    },
  )

  test('input that the last call would refuse is refused by the first call', async () => {
    const answer = await post('/tasks/409/data', started)
    expect([answer.status, answer.json()]).toEqual([409, { rq_id }])
  })

  test('files are stored, and parameters sent with them are ignored', async () => {
    const fields = { image_quality: '70', 'upload_file_order[0]': 'a.png', use_cache: 'true' }
    const body = form(['/home/anna/a.png', 'b.png'], fields)
    const answer = await post('/tasks/12/data/', multiple, body)
    expect([answer.status, answer.text]).toEqual([200, ''])
    const stored = await keys()
    expect(stored.length).toBe(2)
    expect(stored[0]).toMatch(/^uploads\/s1\/[\da-f-]{36}\/0$/)
    const files = [
      { name: 'a.png', key: stored[0], size: 16, sha256: expect.stringMatching(sha256) },
      { name: 'b.png', key: stored[1], size: 5, sha256: expect.stringMatching(sha256) },
    ]
    expect(asked).toEqual([
      ['openSession', { id: 12 }],
      ['addFiles', { upload_id: 's1', task_id: 12, files }],
    ])
  })

  test('refused files are removed, files of earlier calls are not', async () => {
    await post('/tasks/12/data', multiple, form(['a.png']))
    const before = await keys()
    const answer = await post('/tasks/400/data', multiple, form(['a.png']))
    expect(answer.status).toBe(400)
    expect(await keys()).toEqual(before)
  })

  test.each<[string, TestRequest['body']]>([
    ['without a body', undefined],
    ['with a form without files', form([], { image_quality: '70' })],
  ])('a call for files %s is refused', async (_, body) => {
    const answer = await post('/tasks/12/data', multiple, body)
    expect([answer.status, answer.json()]).toEqual([
      400,
      { client_files: ['No file was submitted.'] },
    ])
  })

  test.each<[string, TestRequest['headers'], TestRequest['body'], unknown]>([
    [
      'JSON',
      {},
      { image_quality: 80, sorting_method: 'natural', use_cache: true, chunk_size: null },
      { image_quality: 80, sorting_method: 'natural', use_cache: true },
    ],
    [
      'a form',
      {},
      form([], { image_quality: '80', use_cache: 'True' }),
      { image_quality: 80, use_cache: true },
    ],
    ['nothing', {}, undefined, {}],
    ['nothing, of the type of JSON', json, undefined, {}],
  ])('the last call takes its parameters from %s', async (_, headers, body, parameters) => {
    const answer = await post('/tasks/12/data', { ...finished, ...headers }, body)
    expect([answer.status, answer.json()]).toEqual([202, { rq_id }])
    expect(asked.at(-1)).toEqual(['startDataPreparation', { task_id: 12, files: [], parameters }])
  })

  test('lists are JSON in a document', async () => {
    await post('/tasks/12/data', finished, { job_file_mapping: [['a.png'], ['b.png']] })
    const job_file_mapping = [{ files: ['a.png'] }, { files: ['b.png'] }]
    expect(asked.at(-1)?.[1]).toMatchObject({ parameters: { job_file_mapping } })
  })

  test('the last call may contain files', async () => {
    await post('/tasks/12/data', finished, form(['c.png'], { image_quality: '5' }))
    const [key] = await keys()
    const files = [{ name: 'c.png', key, size: 5, sha256: expect.stringMatching(sha256) }]
    expect(asked).toEqual([
      ['openSession', { id: 12 }],
      ['startDataPreparation', { task_id: 12, files, parameters: { image_quality: 5 } }],
    ])
  })

  test('files of a refused last call are removed', async () => {
    expect((await post('/tasks/400/data', finished, form(['c.png']))).status).toBe(400)
    expect(await keys()).toEqual([])
  })

  test.each([
    ['a quality out of range', { image_quality: 0 }, { image_quality: expect.anything() }],
    ['a choice of no frames', { start_frame: -5 }, { start_frame: expect.anything() }],
    ['files of a bucket', { cloud_storage_id: 5 }, { cloud_storage_id: expect.anything() }],
    ['no document', [], { non_field_errors: expect.anything() }],
  ])('%s in the last call is refused', async (_, body, errors) => {
    const answer = await post('/tasks/12/data', { ...finished, ...json }, JSON.stringify(body))
    expect([answer.status, answer.json()]).toEqual([400, errors])
    expect(asked).toEqual([])
  })

  test('a call with both headers is a complete upload', async () => {
    const headers = { ...started, ...finished }
    expect((await post('/tasks/12/data/', headers, form(['a.png']))).status).toBe(202)
    expect(asked.map(([name]) => name)).toEqual(['openUpload', 'startDataPreparation'])
  })
})

describe('an upload of annotations in several calls', () => {
  const query = '?format=COCO%201.0&import_mode=append&conv_mask_to_poly=False'
  const uploadInput = {
    ...{ purpose: 'annotations', target: 'job', id: 31, format: 'COCO 1.0' },
    ...{ import_mode: 'append', dry_run: false, location: undefined, if_match: undefined },
  }

  test.each([{}, json])('the first call makes the same check as the last one', async (headers) => {
    const answer = await post(`/jobs/31/annotations/${query}`, { ...started, ...headers })
    expect([answer.status, answer.text]).toEqual([202, ''])
    expect(asked).toEqual([['checkUpload', uploadInput]])
  })

  test.each<[string, TestRequest['headers'], TestRequest['body']]>([
    ['nothing', json, undefined],
    ['an empty document', {}, {}],
  ])('the last call names the file, with %s as its body', async (_, headers, body) => {
    const path = `/jobs/31/annotations/${query}&filename=3_abc`
    const answer = await post(path, { ...finished, ...headers }, body)
    expect([answer.status, answer.json()]).toEqual([202, { rq_id: 'action=import' }])
    const options = {
      ...{ format: 'COCO 1.0', import_mode: 'append', conv_mask_to_poly: false, dry_run: false },
    }
    expect(asked).toEqual([
      ['startImport', { target: 'job', id: 31, file_id: '3_abc', location: 'local', ...options }],
    ])
  })

  test('a stored file may be named without any header', async () => {
    const answer = await post('/jobs/31/annotations?format=COCO&filename=3_abc', {})
    expect(answer.status).toBe(202)
    expect(asked).toMatchObject([['startImport', { file_id: '3_abc', location: undefined }]])
  })

  test('a last call without a name is passed to the service', async () => {
    await post('/tasks/12/annotations?format=COCO', finished)
    expect(asked).toMatchObject([['startImport', { file_id: undefined, location: 'local' }]])
  })

  test.each<[string, TestRequest['headers'], TestRequest['body']]>([
    ['nothing', {}, undefined],
    ['an empty document', {}, {}],
    ['an empty form', {}, new FormData()],
  ])(
    'a file in a cloud storage is named by its key, with %s as the body',
    async (_, headers, body) => {
      const there = 'location=cloud_storage&cloud_storage_id=9&filename=in%2Fa.zip'
      const answer = await post(`/tasks/12/annotations?format=COCO&${there}`, headers, body)
      expect(answer.status).toBe(202)
      const named = { location: 'cloud_storage', cloud_storage_id: 9, file_id: 'in/a.zip' }
      expect(asked).toMatchObject([['startImport', { target: 'task', id: 12, ...named }]])
    },
  )

  test('a file in the body takes precedence over a named one', async () => {
    const body = new FormData()
    body.append('annotation_file', new Blob(['{}']), 'a.json')
    const answer = await post('/tasks/12/annotations?format=COCO&filename=3_abc', finished, body)
    expect(answer.status).toBe(202)
    expect(asked.at(-1)).toMatchObject(['startImport', { file: { name: 'a.json' } }])
  })

  test('a call for several files is refused', async () => {
    const answer = await post('/tasks/12/annotations?format=COCO', multiple)
    expect(answer.status).toBe(400)
    expect(asked).toEqual([])
  })
})

test('none of the calls caused a server error', () => {
  expect(bugs).toEqual([])
})
