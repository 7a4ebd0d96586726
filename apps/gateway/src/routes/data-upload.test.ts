import { FormData } from 'undici'
import { beforeEach, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

/** Parameters of jobs that are sent with the media of a task (docs/spec/workspace.md#attaching-media). */

let started: unknown[] = []
const { send, blobs } = await startTestGateway({
  settings: { maxMultipartBytes: 4 * 1024 * 1024 },
  services: {
    requests: {
      async openUpload() {
        return { upload_id: 'u1', prefix: 'uploads/u1/' }
      },
      async startDataPreparation({ body }) {
        started.push(body)
        return { rq_id: 'action=create&target=task&target_id=12' }
      },
    },
  },
})
beforeEach(async () => {
  started = []
  await blobs.removePrefix('uploads')
})

/** Sends a form with these fields and no file. */
function nameSources(fields: Record<string, string>) {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  return send('/api/tasks/12/data', { method: 'POST', body: form })
}

test('files on the share or at URLs need no uploaded files, and their lists are accepted in any form', async () => {
  const given = { 'server_files[1]': 'b/', 'server_files[0]': 'a.png', copy_data: 'true' }
  const answer = await nameSources({ ...given, remote_files: '["https://example.org/a.png"]' })
  expect(answer.status).toBe(202)
  const server_files = ['a.png', 'b/']
  const remote_files = ['https://example.org/a.png']
  const parameters = { server_files, remote_files, copy_data: true }
  expect(started).toEqual([{ upload_id: 'u1', task_id: 12, files: [], parameters }])
})

test('empty fields of a form count as missing', async () => {
  const left = ['start_frame', 'stop_frame', 'frame_filter', 'server_files', 'use_zip_chunks']
  const fields = Object.fromEntries([...left, 'storage_method'].map((field) => [field, '']))
  expect((await upload({ ...fields, cloud_storage_id: '', filename_pattern: '' })).status).toBe(202)
  expect(started).toMatchObject([{ parameters: {} }])
})

test('a frame range, an order and parameters without effect are accepted', async () => {
  const fields = { start_frame: '2', stop_frame: '8', frame_filter: 'step=3', use_cache: '1' }
  const order = { sorting_method: 'predefined', 'upload_file_order[0]': 'b.png' }
  const rest = { storage_method: 'cache', use_zip_chunks: 'False', chunk_size: '7' }
  expect((await upload({ ...fields, ...order, ...rest })).status).toBe(202)
  expect(started).toMatchObject([
    {
      parameters: {
        start_frame: 2,
        stop_frame: 8,
        frame_filter: 'step=3',
        use_cache: true,
        sorting_method: 'predefined',
        upload_file_order: ['b.png'],
        storage_method: 'cache',
        use_zip_chunks: false,
        chunk_size: 7,
      },
    },
  ])
})

/** Sends a form with two files and these fields. */
function upload(fields: Record<string, string>) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('client_files[0]', new Blob(['x']), 'a.png')
  form.append('client_files[1]', new Blob(['y']), 'b.png')
  return send('/api/tasks/12/data', { method: 'POST', body: form })
}

test('the files of jobs are sent as JSON in a field', async () => {
  const answer = await upload({ job_file_mapping: '[["b.png"],["a.png"]]' })
  expect(answer.status).toBe(202)
  const job_file_mapping = [{ files: ['b.png'] }, { files: ['a.png'] }]
  expect(started).toMatchObject([{ parameters: { job_file_mapping } }])
})

test('the number of jobs is sent as a number', async () => {
  expect((await upload({ job_count: '3' })).status).toBe(202)
  expect(started).toMatchObject([{ parameters: { job_count: 3 } }])
})

test('a list of ten thousand files is accepted, fields beyond 2 MiB are not', async () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `${index}.png`)
  const job_file_mapping = JSON.stringify([names])
  expect((await upload({ job_file_mapping })).status).toBe(202)
  const validation_params = 'x'.repeat(2 * 1024 * 1024 - job_file_mapping.length)
  expect((await upload({ job_file_mapping, validation_params })).status).toBe(413)
})

const useless = ['This parameter cannot be used with job_file_mapping.']

test.each<[string, Record<string, string>, unknown]>([
  [
    'jobs without files',
    { job_file_mapping: '[["a.png"],[]]' },
    { job_file_mapping: [{}, ['A job needs at least one file.']] },
  ],
  [
    'a file in two jobs',
    { job_file_mapping: '[["a.png"],["a.png"]]' },
    { job_file_mapping: ["The file 'a.png' is listed twice."] },
  ],
  ['no jobs', { job_file_mapping: '[]' }, { job_file_mapping: ['At least one job is needed.'] }],
  [
    'jobs that are no JSON',
    { job_file_mapping: 'a.png' },
    { job_file_mapping: ['Expected a list of items but got type "str".'] },
  ],
  [
    'jobs that are listed and counted, in another order',
    { job_file_mapping: '[["a.png"]]', job_count: '2', sorting_method: 'natural' },
    { job_count: useless, sorting_method: useless },
  ],
  [
    'a choice of frames with jobs that are listed',
    {
      job_file_mapping: '[["a.png"]]',
      start_frame: '1',
      stop_frame: '3',
      frame_filter: 'step=2',
      server_files_exclude: '["x/"]',
    },
    {
      start_frame: useless,
      stop_frame: useless,
      frame_filter: useless,
      server_files_exclude: useless,
    },
  ],
  [
    'a last frame before the first',
    { start_frame: '5', stop_frame: '4' },
    { stop_frame: ['Stop frame must be more or equal start frame'] },
  ],
  [
    'frames below zero',
    { start_frame: '-1' },
    { start_frame: ['Ensure this value is greater than or equal to 0.'] },
  ],
  [
    'a frame that is no number',
    { stop_frame: 'x' },
    { stop_frame: ['A valid integer is required.'] },
  ],
  ...['step=0', 'step=-1', 'step', 'step=1.5', 'step=2 or so', 'step=9999999999'].map(
    (frame_filter): [string, Record<string, string>, unknown] => [
      `the filter ${frame_filter}`,
      { frame_filter },
      { frame_filter: ['Invalid frame filter expression: step=N is one, N being 1 or more.'] },
    ],
  ),
  [
    'an unknown order',
    { sorting_method: 'by date' },
    { sorting_method: ['"by date" is not a valid choice.'] },
  ],
  [
    'an unknown store',
    { storage_method: 's3' },
    { storage_method: ['"s3" is not a valid choice.'] },
  ],
  ['a flag that is none', { use_cache: 'perhaps' }, { use_cache: ['Must be a valid boolean.'] }],
  [
    'a list that is none',
    { server_files: 'a.png' },
    { server_files: ['Expected a list of items but got type "str".'] },
  ],
  [
    'a list in two forms',
    { server_files: '["a.png"]', 'server_files[0]': 'a.png' },
    { server_files: ['This field may be given only once.'] },
  ],
  ...['/a', '../a', 'a/../b', 'a//b', './a', '..', '/', 'a/./b'].map(
    (path): [string, Record<string, string>, unknown] => [
      `the path ${path}`,
      { 'server_files[0]': 'fine.png', 'server_files[1]': path },
      {
        server_files: [
          {},
          ['Give a relative path: parts between single slashes, none of them empty, . or ..'],
        ],
      },
    ],
  ),
  [
    'a long path',
    { 'server_files_exclude[0]': 'x'.repeat(1025) },
    { server_files_exclude: [['Ensure this field has no more than 1024 characters.']] },
  ],
  [
    'a count of no jobs',
    { job_count: '0' },
    { job_count: ['Ensure this value is greater than or equal to 1.'] },
  ],
])('%s: refused without leaving an object', async (_, fields, body) => {
  const answer = await upload(fields)
  expect([answer.status, answer.json()]).toEqual([400, body])
  expect(started).toEqual([])
  for await (const { key } of blobs.list('uploads')) expect(key).toBeUndefined()
})
