import { FormData } from 'undici'
import { beforeEach, expect, test } from 'vitest'
import { testGateway } from '../testing/gateway.ts'

/** What is said of jobs beside the media of a task: `spec/api-workspace.md` 4.5, 4.6, section 10 row 4. */

let started: unknown[] = []
const { send, blobs } = await testGateway({
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

/** Two files and these fields. */
function upload(fields: Record<string, string>) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('client_files[0]', new Blob(['x']), 'a.png')
  form.append('client_files[1]', new Blob(['y']), 'b.png')
  return send('/api/tasks/12/data', { method: 'POST', body: form })
}

test('which files a job has is said as JSON in a field', async () => {
  const answer = await upload({ job_file_mapping: '[["b.png"],["a.png"]]' })
  expect(answer.status).toBe(202)
  const job_file_mapping = [{ files: ['b.png'] }, { files: ['a.png'] }]
  expect(started).toMatchObject([{ parameters: { job_file_mapping } }])
})

test('how many jobs there are to be is a number', async () => {
  expect((await upload({ job_count: '3' })).status).toBe(202)
  expect(started).toMatchObject([{ parameters: { job_count: 3 } }])
})

test('a list of ten thousand files fits, fields beyond 2 MiB do not', async () => {
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
    'a count of no jobs',
    { job_count: '0' },
    { job_count: ['Ensure this value is greater than or equal to 1.'] },
  ],
])('%s: refused, and no object stays', async (_, fields, body) => {
  const answer = await upload(fields)
  expect([answer.status, answer.json()]).toEqual([400, body])
  expect(started).toEqual([])
  for await (const { key } of blobs.list('uploads')) expect(key).toBeUndefined()
})
