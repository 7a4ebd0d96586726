import { forbidden, invalid, unavailable } from '@reticle/kit'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { FormData } from 'undici'
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestRequest, unavailableBlobs } from '../testing/gateway.ts'

/** Upload and download of assets over HTTP (docs/spec/workspace.md#assets). */

const uuid = '5f0c0c1e-8f39-4a52-9c3a-2f3d7b0a9e11'
const anna = { url: '/users/3', id: 3, username: 'anna', first_name: 'Anna', last_name: 'Lind' }
const made = {
  uuid,
  filename: 'mirror.png',
  created_date: '2026-02-11T08:59:00.000Z',
  owner: anna,
  guide_id: 3,
}
const prefix = 'projects/user/3/uploads/u1/'
const content = '0123456789'
const pdfId = '5f0c0c1e-8f39-4a52-9c3a-2f3d7b0a9e12'
const foreign = '5f0c0c1e-8f39-4a52-9c3a-2f3d7b0a9e13'

let opened = 0
let stored: unknown[] = []
let read: unknown[] = []
const guides = {
  async openAssetUpload() {
    opened++
    return { upload_id: 'u1', prefix }
  },
  async storeAsset({ body }: { body: { guide_id: number } }) {
    stored.push(body)
    if (body.guide_id === 403) throw forbidden()
    if (body.guide_id === 400) throw invalid({ guide_id: 'unknown' })
    if (body.guide_id === 503) throw unavailable('The database does not answer.')
    return made
  },
  async getAssetFile(input: { uuid: string }) {
    read.push(input)
    if (input.uuid === foreign) throw forbidden()
    const isPdf = input.uuid === pdfId
    return {
      key: 'projects/org/2/assets/a',
      size: content.length,
      filename: isPdf ? 'rules.pdf' : 'Spiegel "ä".png',
      media_type: isPdf ? 'application/pdf' : 'image/png',
      etag: `"${input.uuid}"`,
      created_date: '2026-02-11T08:59:00.000Z',
    }
  },
}
const { send, blobs } = await startTestGateway({
  services: { guides },
  settings: { presign: true },
})
await blobs.put('projects/org/2/assets/a', bytesOf(content))
beforeEach(async () => {
  opened = 0
  stored = []
  read = []
  await blobs.removePrefix('projects/user')
})

async function keys(): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of blobs.list('projects/user')) found.push(key)
  return found
}

const png = (bytes: string | Buffer<ArrayBuffer> = 'x', type = 'image/png') =>
  new Blob([bytes], { type })
type Part = [field: string, content: string | Blob, filename?: string]
function form(...parts: Part[]): FormData {
  const data = new FormData()
  for (const [field, given, filename] of parts) {
    if (typeof given === 'string') data.append(field, given)
    else data.append(field, given, filename)
  }
  return data
}
const post = (body?: TestRequest['body'], headers?: TestRequest['headers'], as?: string) =>
  send('/api/assets', { method: 'POST', body, headers, ...(as && { as }) })

describe('a new asset', () => {
  test.each([
    ['behind', form(['file', png('12345'), 'C:\\pictures\\mirror.png'], ['guide_id', '3'])],
    ['before', form(['guide_id', '3'], ['file', png('12345'), '../../mirror.png'])],
  ])('is streamed to the service, with its guide named %s it', async (_, body) => {
    const answer = await post(body)
    expect(answer.status).toBe(201)
    expect(answer.json()).toMatchObject({
      ...made,
      owner: { ...anna, url: expect.stringMatching(/^http.*\/api\/users\/3$/) },
    })
    expect(stored).toEqual([
      { upload_id: 'u1', guide_id: 3, filename: 'mirror.png', media_type: 'image/png' },
    ])
    expect((await blobs.stat(`${prefix}0`)).size).toBe(5)
  })

  test.each<[string, FormData, Record<string, string[]>]>([
    ['no file', form(['guide_id', '3']), { file: ['No file was submitted.'] }],
    [
      'a text in its field',
      form(['file', 'x'], ['guide_id', '3']),
      { file: ['No file was submitted.'] },
    ],
    [
      'a file in another field',
      form(['picture', png(), 'a.png']),
      { file: ['No file was submitted. It is expected here, not in picture.'] },
    ],
    [
      'two files',
      form(['file', png(), 'a.png'], ['file', png(), 'b.png']),
      { file: ['Only one file can be submitted.'] },
    ],
    ['an empty file', form(['file', png(''), 'a.png']), { file: ['The submitted file is empty.'] }],
    ['no guide', form(['file', png(), 'a.png']), { guide_id: ['This field is required.'] }],
    [
      'a guide that is no number',
      form(['file', png(), 'a.png'], ['guide_id', 'x']),
      { guide_id: ['A valid integer is required.'] },
    ],
    [
      'more than 10 MB',
      form(['file', png(Buffer.alloc(10 * 1024 * 1024 + 1)), 'a.png'], ['guide_id', '3']),
      { file: ['The file is larger than 10 MB.'] },
    ],
  ])('with %s is refused and leaves no object', async (_, body, errors) => {
    const answer = await post(body)
    expect([answer.status, answer.json()]).toEqual([400, errors])
    expect(stored).toEqual([])
    expect(await keys()).toEqual([])
  })

  test('may have 10 MB', async () => {
    const file = png(Buffer.alloc(10 * 1024 * 1024))
    expect((await post(form(['file', file, 'a.png'], ['guide_id', '3']))).status).toBe(201)
  })

  test.each([403, 400])('that the service refuses with %i leaves no object', async (status) => {
    const answer = await post(form(['file', png(), 'a.png'], ['guide_id', String(status)]))
    expect(answer.status).toBe(status)
    expect(await keys()).toEqual([])
  })

  test('keeps its object when the result of the service is unknown', async () => {
    const answer = await post(form(['file', png(), 'a.png'], ['guide_id', '503']))
    expect(answer.status).toBe(503)
    expect(await keys()).toEqual([`${prefix}0`])
  })

  test('is refused without a body', async () => {
    const answer = await post()
    expect([answer.status, answer.json()]).toEqual([400, { file: ['No file was submitted.'] }])
    expect(opened).toBe(0)
  })

  test('must be a form, from a caller who may write', async () => {
    expect((await post({ guide_id: 3 })).status).toBe(415)
    const body = form(['file', png(), 'a.png'], ['guide_id', '3'])
    expect((await post(body, {}, 'reader')).status).toBe(403)
    expect((await send('/api/assets', { method: 'POST', body, as: null })).status).toBe(401)
    expect(opened).toBe(0)
  })

  test('is refused with 503 while the object store is unavailable, before its body is read', async () => {
    const away = await startTestGateway({ services: { guides }, blobs: await unavailableBlobs() })
    const body = form(['file', png(), 'a.png'], ['guide_id', '3'])
    expect((await away.send('/api/assets', { method: 'POST', body })).status).toBe(503)
    expect(stored).toEqual([])
  })
})

describe('the file of an asset', () => {
  const get = (id = uuid, headers: Record<string, string> = {}) =>
    send(`/api/assets/${id}`, { headers })

  test('is shown inline for an image, with scripts and external content blocked', async () => {
    const { status, headers, text } = await get()
    expect({ status, text }).toEqual({ status: 200, text: content })
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': '10',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'content-disposition': `inline; filename="Spiegel ___.png"; filename*=UTF-8''Spiegel%20%22%C3%A4%22.png`,
      'cache-control': 'private, no-cache',
      etag: `"${uuid}"`,
    })
    expect(read).toEqual([{ uuid }])
  })

  test('is downloaded for a document', async () => {
    const { headers } = await get(pdfId)
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': `attachment; filename="rules.pdf"; filename*=UTF-8''rules.pdf`,
    })
  })

  test('is not sent again to a client with the current version', async () => {
    const { status, text, headers } = await get(uuid, { 'if-none-match': `"${uuid}"` })
    expect({ status, text }).toEqual({ status: 304, text: '' })
    expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox")
  })

  test('has one type regardless of Accept, and supports ranges and HEAD', async () => {
    expect((await get(uuid, { accept: 'application/json' })).headers['content-type']).toBe(
      'image/png',
    )
    expect(await get(uuid, { range: 'bytes=2-4' })).toMatchObject({ status: 206, text: '234' })
    const head = await send(`/api/assets/${uuid}`, { method: 'HEAD' })
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '10'])
  })

  test('is found by a UUID in any case, and an invalid UUID is not found', async () => {
    expect((await get(uuid.toUpperCase())).status).toBe(200)
    expect(read).toEqual([{ uuid }])
    expect((await get('7')).status).toBe(404)
    expect((await send('/api/assets/7', { method: 'DELETE' })).status).toBe(404)
  })

  test('requires a signed-in caller with permission', async () => {
    expect((await get(foreign)).status).toBe(403)
    expect((await send(`/api/assets/${uuid}`, { as: null })).status).toBe(401)
  })
})
