import { createHash } from 'node:crypto'
import { conflict, forbidden, invalidText, unavailable } from '@reticle/kit'
import { FormData } from 'undici'
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestRequest, unavailableBlobs } from '../testing/gateway.ts'

let opened: unknown[] = []
let started: unknown[] = []
let keysAtStart: string[] = []
const bugs: unknown[] = []
beforeEach(async () => {
  opened = []
  started = []
  await blobs.removePrefix('uploads')
})

const { send, blobs, raw } = await startTestGateway({
  bugs,
  settings: { maxMultipartBytes: 4 * 1024 * 1024, requestTimeoutMs: 400, idleTimeoutMs: 500 },
  services: {
    requests: {
      async openUpload(input) {
        opened.push(input)
        if (input.id === 403) throw forbidden()
        if (input.format === 'nothing') throw invalidText("Unknown input format 'nothing'")
        return { upload_id: 'u1', prefix: 'uploads/u1/' }
      },
      async startDataPreparation({ body }) {
        started.push(body)
        keysAtStart = await keys()
        if (body.task_id === 409) throw conflict('running', { body: { rq_id: 'other' } })
        if (body.task_id === 503) throw unavailable('The database does not answer.')
        return { rq_id: 'action=create&target=task&target_id=12' }
      },
      async startImport({ body }) {
        started.push(body)
        return { rq_id: 'action=import' }
      },
    },
  },
})

async function keys(): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of blobs.list('uploads')) found.push(key)
  return found
}

type Part = [field: string, content: string, filename?: string]

function form(...parts: Part[]): FormData {
  const data = new FormData()
  for (const [field, content, filename] of parts) {
    if (filename === undefined) data.append(field, content)
    else data.append(field, new Blob([content]), filename)
  }
  return data
}
const post = (path: string, body?: TestRequest['body'], headers?: TestRequest['headers']) =>
  send(`/api${path}`, { method: 'POST', body, headers })

describe('an upload of media', () => {
  test('stores its files in the object store and sends its fields to the service', async () => {
    const common = { image_quality: 80, sorting_method: 'natural' }
    const answer = await post(
      '/tasks/12/data',
      form(
        ['image_quality', '80'],
        ['client_files[0]', 'first', '/home/anna/a.png'],
        ['client_files[1]', 'second!', 'C:\\pictures\\b.png'],
        ['use_cache', 'True'],
        ['start_frame', '0'],
        ['sorting_method', 'natural'],
      ),
    )

    expect(answer.status).toBe(202)
    expect(answer.json()).toEqual({ rq_id: 'action=create&target=task&target_id=12' })
    expect(opened).toEqual([{ purpose: 'data', target: 'task', id: 12 }])
    expect(started).toEqual([
      {
        upload_id: 'u1',
        task_id: 12,
        files: [
          { name: 'a.png', key: 'uploads/u1/0', size: 5, sha256: expect.any(String) },
          { name: 'b.png', key: 'uploads/u1/1', size: 7, sha256: expect.any(String) },
        ],
        parameters: { ...common, use_cache: true, start_frame: 0 },
      },
    ])
    expect(keysAtStart).toEqual(['uploads/u1/0', 'uploads/u1/1'])
    expect(await keys()).toEqual(keysAtStart)
  })

  test('a ground-truth job is requested as JSON in a field', async () => {
    const params = { mode: 'gt', frame_selection_method: 'random_uniform', frame_share: 0.1 }
    const file: Part = ['client_files', 'x', 'a.png']
    const fields = form(file, ['validation_params', JSON.stringify(params)])
    expect((await post('/tasks/12/data', fields)).status).toBe(202)
    expect(started).toMatchObject([{ parameters: { validation_params: params } }])
  })

  test.each(['client_files', 'zip'])('one archive is accepted as %s', async (field) => {
    expect((await post('/tasks/12/data', form([field, 'PK', 'a.zip']))).status).toBe(202)
  })

  test('Upload-Start and Upload-Finish together mean a single call', async () => {
    const headers = { 'upload-start': '', 'upload-finish': '' }
    const answer = await post('/tasks/12/data/', form(['zip', 'PK', 'a.zip']), headers)
    expect(answer.status).toBe(202)
  })

  test('a file name that leaves its folder is reduced to its base name', async () => {
    await post('/tasks/12/data', form(['client_files', 'x', '../../etc/passwd']))
    expect(started).toMatchObject([{ files: [{ name: 'passwd', key: 'uploads/u1/0' }] }])
  })

  test.each<[string, FormData, unknown]>([
    ['no file', form(['image_quality', '80']), { client_files: ['No file was submitted.'] }],
    ['a file in another field', form(['picture', 'x', 'a.png']), { picture: expect.anything() }],
    [
      'a name twice',
      form(['client_files[0]', 'x', 'a.png'], ['client_files[1]', 'y', 'b/a.png']),
      { client_files: ['The file a.png was submitted twice.'] },
    ],
    [
      'a file without a name',
      form(['client_files', 'x', '..']),
      { client_files: ['The submitted file has no name.'] },
    ],
    [
      'a quality out of range',
      form(['client_files', 'x', 'a.png'], ['image_quality', '101']),
      { image_quality: ['Ensure this value is between 1 and 100.'] },
    ],
    [
      'a choice of frames that is none',
      form(['client_files', 'x', 'a.png'], ['frame_filter', 'every=5']),
      { frame_filter: ['Invalid frame filter expression: step=N is one, N being 1 or more.'] },
    ],
    [
      'ground truth of no frames',
      form(
        ['client_files', 'x', 'a.png'],
        ['validation_params', '{"mode":"gt","frame_selection_method":"manual"}'],
      ),
      { validation_params: { frames: ['This field is required.'] } },
    ],
    [
      'a file of a bucket',
      form(['client_files', 'x', 'a.png'], ['cloud_storage_id', '3']),
      {
        cloud_storage_id: [
          'Name files of the cloud storage in server_files, or give a filename_pattern.',
        ],
      },
    ],
    [
      'a field twice',
      form(['image_quality', '1'], ['image_quality', '2'], ['client_files', 'x', 'a.png']),
      { image_quality: ['This field may be given only once.'] },
    ],
  ])('%s is refused without leaving an object', async (_what, body, errors) => {
    const answer = await post('/tasks/12/data', body)
    expect(answer.status).toBe(400)
    expect(answer.json()).toEqual(errors)
    expect(started).toEqual([])
    expect(await keys()).toEqual([])
  })

  test('a running preparation gives 409 with its id and leaves no object', async () => {
    const answer = await post('/tasks/409/data', form(['client_files', 'x', 'a.png']))
    expect(answer).toMatchObject({ status: 409, text: '{"rq_id":"other"}' })
    expect(await keys()).toEqual([])
  })

  test('objects are kept when the result of the service is unknown', async () => {
    const answer = await post('/tasks/503/data', form(['client_files', 'x', 'a.png']))
    expect(answer.status).toBe(503)
    expect(await keys()).toEqual(['uploads/u1/0'])
  })
})

describe('an upload of annotations', () => {
  test('passes one file and its query to the service', async () => {
    const path =
      '/jobs/31/annotations/?format=COCO%201.0&import_mode=append&conv_mask_to_poly=False'
    const answer = await post(path, form(['annotation_file', '{}', 'a.json']), {
      'if-match': '"x"',
    })

    expect(answer.status).toBe(202)
    expect(opened).toEqual([
      {
        purpose: 'annotations',
        target: 'job',
        id: 31,
        format: 'COCO 1.0',
        import_mode: 'append',
        dry_run: false,
        location: undefined,
        if_match: '"x"',
      },
    ])
    expect(started).toEqual([
      {
        upload_id: 'u1',
        target: 'job',
        id: 31,
        file: {
          ...{ name: 'a.json', key: 'uploads/u1/0', size: 2 },
          sha256: createHash('sha256').update('{}').digest('hex'),
        },
        format: 'COCO 1.0',
        import_mode: 'append',
        dry_run: false,
        conv_mask_to_poly: false,
        if_match: '"x"',
      },
    ])
  })

  /** Invalid forms; row 79 of docs/spec/reliability.md#bad-input. */
  test.each<[string, FormData, string]>([
    ['no file', form(['x', 'y']), 'No file was submitted.'],
    ['a text in its field', form(['annotation_file', 'y']), 'No file was submitted.'],
    [
      'another field',
      form(['file', 'y', 'a.json']),
      'No file was submitted. It is expected here, not in file.',
    ],
    [
      'two files',
      form(['annotation_file', 'y', 'a'], ['annotation_file', 'z', 'b']),
      'Only one file can be submitted.',
    ],
    ['an empty file', form(['annotation_file', '', 'a.json']), 'The submitted file is empty.'],
  ])('%s is refused', async (_what, body, text) => {
    const answer = await post('/tasks/12/annotations/?format=COCO', body)
    expect(answer.status).toBe(400)
    expect(answer.json()).toEqual({ annotation_file: [text] })
    expect(await keys()).toEqual([])
  })

  test('opens no upload without a body, because the file is stored elsewhere or missing', async () => {
    await post('/tasks/12/annotations/?format=COCO')
    expect(opened).toEqual([])
  })

  test('is refused by the service before any byte is stored', async () => {
    const body = form(['annotation_file', '{}', 'a.json'])
    expect((await post('/tasks/403/annotations/?format=COCO', body)).status).toBe(403)
    const unknown = await post('/tasks/12/annotations/?format=nothing', body)
    expect(unknown.json()).toEqual(["Unknown input format 'nothing'"])
    expect(await keys()).toEqual([])
  })

  test('a read-only token may not import', async () => {
    const body = form(['annotation_file', '{}', 'a.json'])
    const path = '/api/tasks/12/annotations/?format=COCO'
    expect((await send(path, { method: 'POST', as: 'reader', body })).status).toBe(403)
    expect(opened).toEqual([])
  })
})

const boundary = 'limit'
const multipart = { 'content-type': `multipart/form-data; boundary=${boundary}` }
const filePart = (field: string, content: string, name = 'a.png') =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\n\r\n${content}\r\n`
const fieldParts = (count: number) =>
  Array.from(
    { length: count },
    (_, at) => `--${boundary}\r\nContent-Disposition: form-data; name="n${at}"\r\n\r\n\r\n`,
  ).join('')
const end = `--${boundary}--\r\n`

describe('an unreadable form', () => {
  test.each<[string, number, Record<string, string>, string]>([
    ['81: no type', 415, {}, '{}'],
    ['80: no boundary', 400, { 'content-type': 'multipart/form-data' }, end],
    [
      '80: a boundary of 500',
      400,
      { 'content-type': `multipart/form-data; boundary=${'x'.repeat(500)}` },
      end,
    ],
    ['80: never closed', 400, multipart, filePart('client_files', 'x')],
    ['80: cut inside a part', 400, multipart, filePart('client_files', 'x').slice(0, -3)],
    [
      '80: a part header of 1 MB before the name',
      400,
      multipart,
      `--${boundary}\r\nX-Filler: ${'x'.repeat(1_000_000)}\r\nContent-Disposition: form-data; name="zip"; filename="a"\r\n\r\nx\r\n${end}`,
    ],
    ['80: no part at all', 400, multipart, 'nothing'],
    ['80: 40,000 parts', 413, multipart, fieldParts(40_000) + end],
    ['80: a prototype as field', 400, multipart, filePart('__proto__', 'x') + end],
    [
      'a field above 64 KiB',
      413,
      multipart,
      `--${boundary}\r\nContent-Disposition: form-data; name="n"\r\n\r\n${'x'.repeat(65_537)}\r\n${end}`,
    ],
    [
      'a JSON part that is none',
      400,
      multipart,
      `--${boundary}\r\nContent-Disposition: form-data; name="n"\r\nContent-Type: application/json\r\n\r\n{\r\n${end}`,
    ],
    [
      'an announced length above the limit',
      413,
      multipart,
      filePart('client_files', 'x'.repeat(4 * 1024 * 1024)) + end,
    ],
  ])('%s is refused with %i', async (_what, status, headers, body) => {
    const answer = await post('/tasks/12/data', body, headers)
    expect(answer.status).toBe(status)
    expect(answer.headers['x-error-code']).toBeDefined()
    expect(started).toEqual([])
    expect(await keys()).toEqual([])
  })

  test('is stopped above the limit, and the stored part is removed', async () => {
    async function* body() {
      yield Buffer.from(filePart('client_files[0]', 'first'))
      yield Buffer.from(filePart('client_files[1]', '', 'b.png').slice(0, -2))
      for (let sent = 0; sent < 70; sent++) yield Buffer.alloc(64 * 1024, 0x20)
    }
    const answer = await post('/tasks/12/data', body(), multipart)
    expect(answer.status).toBe(413)
    await expect.poll(keys).toEqual([])
    expect(started).toEqual([])
  })

  test('is stopped above the limit before its first part as well', async () => {
    async function* body() {
      for (let sent = 0; sent < 70; sent++) yield Buffer.alloc(64 * 1024, 0x20)
    }
    expect((await post('/tasks/12/data', body(), multipart)).status).toBe(413)
  })

  test('leaves no object when the client disconnects', async () => {
    const cancel = new AbortController()
    async function* body() {
      yield Buffer.from(filePart('client_files[0]', 'first'))
      yield Buffer.from(filePart('client_files[1]', '', 'b.png').slice(0, -2))
      await expect.poll(keys).toEqual(['uploads/u1/0'])
      cancel.abort()
      yield Buffer.from('more')
    }
    const { signal } = cancel
    const sent = send('/api/tasks/12/data', {
      method: 'POST',
      body: body(),
      headers: multipart,
      signal,
    })
    await expect(sent).rejects.toThrow()
    await expect.poll(keys).toEqual([])
    expect(started).toEqual([])
  })

  test('is refused before its body is read when the store is unavailable', async () => {
    const { raw } = await startTestGateway({
      blobs: await unavailableBlobs(),
      services: { requests: { openUpload: async () => ({ upload_id: 'u', prefix: 'u/u/' }) } },
    })
    for (const path of ['tasks/12/data', 'jobs/31/annotations/?format=COCO'])
      expect(await raw(headOf(path))).toMatch(/^HTTP\/1\.1 503 .*retry-after: 2\r\n/s)
  })

  test('leaves no object when the client stalls', async () => {
    const start =
      filePart('client_files[0]', 'first') + filePart('client_files[1]', '', 'b.png').slice(0, -2)
    await raw(headOf('tasks/12/data') + start)
    await expect.poll(keys).toEqual([])
    expect(started).toEqual([])
  })
})

function headOf(path: string): string {
  const type = multipart['content-type']
  return `POST /api/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Token anna\r\nContent-Type: ${type}\r\nContent-Length: 100000\r\n\r\n`
}

test('a JSON body is not accepted as a file', async () => {
  const json = { 'content-type': 'application/json' }
  const imported = await post('/jobs/31/annotations/?format=COCO', '{}', json)
  expect(imported.status).toBe(415)
  const attached = await post('/tasks/12/data', '{}', json)
  expect([attached.status, attached.json()]).toEqual([
    400,
    { client_files: ['No file was submitted.'] },
  ])
})

test('none of the calls caused a server error', () => {
  expect(bugs).toEqual([])
})
