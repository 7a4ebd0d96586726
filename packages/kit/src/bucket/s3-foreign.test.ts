import { createServer } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { readNets } from '../outgoing/guard.ts'
import { bytesOf } from '../testing/bytes.ts'
import { bucketOpener } from './open.ts'

/**
 * Bucket of a user in which another writer replaces an object right after
 * an export wrote it, so that `stat` sees the other object.
 */

const asked: string[] = []
let seenSize = 0
const server = createServer((request, response) => {
  const { method = '', url = '' } = request
  const [path = '', query = ''] = url.split('?')
  asked.push(`${method} ${path}`)
  request.resume().on('end', () => {
    if (method === 'HEAD')
      return response
        .writeHead(200, {
          etag: '"of another writer"',
          'content-length': seenSize,
          'last-modified': new Date(0).toUTCString(),
        })
        .end()
    if (method === 'DELETE') return response.writeHead(204).end()
    if (query.startsWith('uploads'))
      return response.end(
        '<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>',
      )
    if (method === 'POST')
      return response.end(
        '<CompleteMultipartUploadResult><Location>here</Location><ETag>"x"</ETag></CompleteMultipartUploadResult>',
      )
    response.writeHead(200, { etag: '"x"' }).end()
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const address = server.address()
const port = typeof address === 'object' ? address?.port : 0

const bucket = await bucketOpener({ nets: readNets(['127.0.0.0/8']) })({
  provider: 's3',
  bucket: 'frames',
  endpoint: `http://127.0.0.1:${port}`,
  region: 'eu-1',
  credentials: { key: 'AK', secret: 'SK' },
})
const mebibyte = Buffer.alloc(1024 * 1024)
async function* large() {
  for (let number = 0; number < 17; number++) yield mebibyte
}

test.each([
  ['a small object, another of 4 bytes', () => bytesOf('the export'), 4],
  ['a small object, an empty one', () => bytesOf('the export'), 0],
  ['a small object, a larger one', () => bytesOf('the export'), 5000],
  ['an object in parts, another of 4 bytes', large, 4],
  ['an object in parts, a larger one', large, 100 * 1024 * 1024],
])('an object of another writer is never deleted: %s', async (_, chunks, size) => {
  asked.length = 0
  seenSize = size
  const write = bucket.write('a.zip', chunks(), new AbortController().signal)
  await expect(write).rejects.toMatchObject({ reason: 'unreachable' })
  expect(asked).toContain('HEAD /frames/a.zip')
  expect(asked.filter((one) => one.startsWith('DELETE'))).toEqual([])
})
