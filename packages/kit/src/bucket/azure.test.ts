import { afterAll, expect, test } from 'vitest'
import { readNets } from '../outgoing/guard.ts'
import { bytesOf, readAllBytes } from '../testing/bytes.ts'
import { startEndless } from '../testing/endless.ts'
import { type Received, startReceiver } from '../testing/receiver.ts'
import type { AzureAddress } from './address.ts'
import { bucketOpener } from './open.ts'

/** Responses of Azure that its emulator never sends; the usual ones are tested in `emulators.cluster.test.ts`. */

const azure = await startReceiver()
afterAll(azure.close)
const nets = readNets(['127.0.0.0/8'])
const account = { url: azure.url, bucket: 'frames', provider: 'azure' as const }
const open = (given: Partial<AzureAddress> = {}, allowed = nets) =>
  bucketOpener({ nets: allowed })({ ...account, ...given })
const { signal } = new AbortController()

const failure = (status: number, code: string) => () => ({
  status,
  headers: { 'x-ms-error-code': code, 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>secret of the account</Message></Error>`,
})

test.each([
  [403, 'AuthenticationFailed', 'forbidden'],
  [403, 'AuthorizationPermissionMismatch', 'forbidden'],
  [401, 'NoAuthenticationInformation', 'forbidden'],
  [409, 'PublicAccessNotPermitted', 'forbidden'],
  [404, 'ContainerNotFound', 'not_found'],
  [400, 'InvalidQueryParameterValue', 'bad_token'],
  [500, 'InternalError', 'unreachable'],
])(
  'response %i %s becomes the reason %s without quoting the response',
  async (status, code, reason) => {
    azure.answer(failure(status, code))
    const bucket = await open()
    const attempt = bucket.list({ prefix: '', size: 1, token: 'x' }, signal)
    await expect(attempt).rejects.toMatchObject({ reason, message: `bucket: ${reason}` })
  },
)

test('a list of all objects below a prefix contains their sizes', async () => {
  const blob =
    '<Blob><Name>a/b/2.jpg</Name><Properties><Content-Length>7</Content-Length></Properties></Blob>'
  azure.answer({
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ContainerName="frames"><Blobs>${blob}</Blobs><NextMarker>more</NextMarker></EnumerationResults>`,
  })
  expect(await (await open()).files({ prefix: 'a/', size: 1 }, signal)).toEqual({
    files: [{ key: 'a/b/2.jpg', size: 7 }],
    next: 'more',
  })
  expect(azure.received.at(-1)?.path).not.toContain('delimiter')
})

test('a probe distinguishes forbidden from any other failure', async () => {
  const bucket = await open()
  azure.answer(failure(403, 'AuthenticationFailed'))
  expect(await bucket.probe('', signal)).toBe('forbidden')
  azure.answer(failure(404, 'ContainerNotFound'))
  expect(await bucket.probe('', signal)).toBe('not_found')
})

test('every request carries the shared access signature, whose permissions decide whether writing is possible', async () => {
  azure.answer(failure(404, 'ContainerNotFound'))
  const bucket = await open({ sas: 'sv=2024-11-04&sp=rl&sig=abc' })
  await bucket.probe('', signal)
  const { path = '' } = azure.received.at(-1) ?? ({} as Partial<Received>)
  expect(path).toMatch(/^\/frames\?.*sig=abc/)
  expect(await bucket.canWrite(signal)).toBe(false)
  expect(await (await open({ sas: 'sv=1&sp=rcwl&sig=abc' })).canWrite(signal)).toBe(true)
  expect(await (await open()).canWrite(signal)).toBe(false)
})

test('a blob is committed by its block list, which a failed write never sends', async () => {
  const sent = () =>
    azure.received
      .splice(0)
      .map(({ method, path }) => `${method} ${/comp=\w+|$/.exec(path)?.[0] || path}`)
  const mebibyte = Buffer.alloc(1024 * 1024)
  azure.answer({ status: 201 })
  sent()
  const bucket = await open()
  await bucket.write('a.zip', bytesOf(...new Array(9).fill(mebibyte)), signal)
  expect(sent()).toEqual(['PUT comp=block', 'PUT comp=block', 'PUT comp=blocklist'])
  async function* broken() {
    for (let count = 0; count < 9; count++) yield mebibyte
    throw new Error('broken')
  }
  await expect(bucket.write('a.zip', broken(), signal)).rejects.toThrow('broken')
  expect(sent()).not.toContain('PUT comp=blocklist')
})

test.each([
  [403, 'AuthorizationPermissionMismatch', 'forbidden'],
  [404, 'ContainerNotFound', 'not_found'],
  [500, 'InternalError', 'unreachable'],
])('response %i %s to a write becomes the reason %s', async (status, code, reason) => {
  azure.answer(failure(status, code))
  const attempt = (await open()).write('a.zip', bytesOf('a'), signal)
  await expect(attempt).rejects.toMatchObject({ reason, message: `bucket: ${reason}` })
})

test('a key that would lead out of the container is rejected without a request', async () => {
  const count = azure.received.length
  const attempt = readAllBytes((await open()).read('../other/a.txt', {}, signal))
  await expect(attempt).rejects.toMatchObject({ reason: 'bad_key' })
  expect(azure.received.length).toBe(count)
})

test('a blocked address never receives a request', async () => {
  const count = azure.received.length
  const bucket = await open({}, [])
  const attempt = bucket.list({ prefix: '', size: 1 }, signal)
  await expect(attempt).rejects.toMatchObject({ reason: 'blocked' })
  expect(azure.received.length).toBe(count)
})

test('a redirect to another host is not followed', async () => {
  const other = await startReceiver()
  azure.answer({ status: 307, headers: { location: `${other.url}/frames` } })
  expect(await (await open()).probe('', signal)).toBe('not_found')
  expect(other.received).toEqual([])
  await other.close()
})

test('a response without an end is cut off', async () => {
  const endless = await startEndless()
  const attempt = (await open({ url: endless.url })).list({ prefix: '', size: 1 }, signal)
  await expect(attempt).rejects.toMatchObject({ reason: 'unreachable' })
  await endless.close()
})
