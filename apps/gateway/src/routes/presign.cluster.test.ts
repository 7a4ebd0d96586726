import { forbidden } from '@reticle/kit'
import { testBucket } from '@reticle/kit/testing/bucket'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

const { blobs } = await testBucket()

const file = {
  key: 'requests/results/u/1',
  size: 10,
  filename: 'task 12.zip',
  etag: '"abc"',
  media_type: 'application/zip',
  finished_date: '2026-03-01T10:00:07.900Z',
}
await blobs.put(file.key, bytesOf('0123456789'))
await blobs.put('requests/results/u/2', bytesOf('01234'))

const { send } = await startTestGateway({
  blobs,
  settings: { presign: true },
  services: {
    requests: {
      async getResultFile({ rq_id }) {
        if (rq_id === 'foreign') throw forbidden()
        return { ...file, key: `requests/results/u/${rq_id}` }
      },
    },
  },
})
const ask = (rq_id: string, sent = {}) =>
  send(`/api/tasks/12/dataset/download?rq_id=${rq_id}`, sent)

test('a download redirects to an expiring URL of the store that needs no credential', async () => {
  const { status, headers, text } = await ask('1')
  expect([status, text, headers['cache-control']]).toEqual([302, '', 'no-store'])
  const address = new URL(String(headers.location))
  expect(address.searchParams.get('X-Amz-Expires')).toBe('900')
  const answer = await fetch(address, { headers: { range: 'bytes=2-4' } })
  expect([answer.status, await answer.text()]).toEqual([206, '234'])
  expect(answer.headers.get('content-type')).toBe('application/zip')
  expect(answer.headers.get('content-disposition')).toContain('filename="task 12.zip"')
})

test('a URL is only returned to callers who may download the file', async () => {
  expect((await ask('foreign')).status).toBe(403)
  expect((await ask('1', { as: null })).status).toBe(401)
  const gone = await ask('3')
  expect([gone.status, gone.headers['x-error-code']]).toEqual([404, 'result_expired'])
  const half = await ask('2')
  expect([half.status, half.headers['retry-after']]).toEqual([503, '2'])
})

test('HEAD and conditional requests are served without a redirect', async () => {
  const head = await ask('1', { method: 'HEAD' })
  expect([head.status, head.headers['content-length']]).toEqual([200, '10'])
  expect((await ask('1', { headers: { 'if-none-match': '"abc"' } })).status).toBe(304)
})
