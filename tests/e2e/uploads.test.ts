import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { Upload } from 'tus-js-client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { storedZip } from '../support/archives.ts'
import type { AnyJson } from '../support/client.ts'
import { taskWithMedia } from '../support/factories.ts'
import { createImages, type ImageFile } from '../support/pictures.ts'
import { basic, dataDirectory, type Reticle, startReticle } from '../support/reticle.ts'

/**
 * Uploads by other clients: a stock tus client with kills of both sides, and the requests of the CVAT client byte by
 * byte.
 */

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (typeof address !== 'object' || !address) throw new Error('no port')
  return address.port
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((next) => setTimeout(next, 5))
}

describe('a stock tus client', () => {
  /** Builds an archive with images at both ends of a large file that is not an image. */
  const archive = async () => {
    const files = await createImages(4)
    const noise = { name: 'noise.bin', bytes: randomBytes(40 * 1024 * 1024) }
    return { files, bytes: storedZip([...files.slice(0, 2), noise, ...files.slice(2)]) }
  }

  async function assertMedia(reticle: Reticle, id: number, files: ImageFile[]): Promise<void> {
    const { admin } = reticle
    const ended = await admin.call('POST', `/tasks/${id}/data/`, {
      json: {},
      headers: { 'upload-finish': '' },
    })
    expect(ended.status, ended.text).toBe(202)
    await admin.finished(ended.body)
    const { frames } = await admin.done('GET', `/tasks/${id}/data/meta`)
    expect(frames.map(({ name }: AnyJson) => name)).toEqual(files.map(({ name }) => name))
    const shown = `/tasks/${id}/data?type=frame&quality=original`
    for (const [number, { bytes }] of files.entries()) {
      const frame = await admin.bytes(`${shown}&number=${number}`)
      expect(hashOf(frame.bytes)).toBe(hashOf(bytes))
    }
  }
  const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

  test('an upload of tens of MiB survives kills of the server and of the client', async () => {
    const { path, remove } = dataDirectory()
    const port = String(await freePort())
    const start = () => startReticle(path, { RETICLE_PORT: port })
    let reticle = await start()
    onTestFinished(async () => {
      await reticle.stop()
      remove()
    })
    const { files, bytes } = await archive()
    const { id } = await reticle.admin.done('POST', '/tasks', { json: { name: 't' } })

    let sent = 0
    let uploadUrl: string | null = null
    const options = {
      endpoint: `${reticle.url}/api/tasks/${id}/data/`,
      metadata: { filename: 'all.zip', filetype: 'application/zip' },
      headers: { Authorization: basic },
      chunkSize: 3 * 1024 * 1024,
      retryDelays: Array.from({ length: 240 }, () => 500),
    }
    /** Sends until that many bytes have arrived, or all; then the client is killed. */
    const sendUntil = (share: number) =>
      new Promise<void>((resolve, reject) => {
        const upload: Upload = new Upload(bytes, {
          ...options,
          uploadUrl,
          onProgress: (done) => {
            if (uploadUrl === null) uploadUrl = upload.url
            sent = done
            if (done < bytes.length * share || share >= 1) return
            uploadUrl = upload.url
            upload.abort().then(() => resolve(), reject)
          },
          onSuccess: () => resolve(),
          onError: reject,
        })
        upload.start()
      })

    for (const share of [0.15, 0.3]) await sendUntil(share)
    const whole = sendUntil(1)
    for (const share of [0.45, 0.6, 0.75]) {
      await Promise.race([whole, until(() => sent >= bytes.length * share)])
      await reticle.kill()
      reticle = await start()
    }
    await whole
    await assertMedia(reticle, id, files)
  })
})

describe('the CVAT client', () => {
  const { path, remove } = dataDirectory()
  let reticle: Reticle
  beforeAll(async () => {
    reticle = await startReticle(path, { RETICLE_GATEWAY_TRUST_PROXY: '1' })
  })
  afterAll(async () => {
    await reticle.stop()
    remove()
  })

  /** Headers that it sends with every call. */
  const common = () => [
    `Host: ${new URL(reticle.url).host}`,
    'Accept-Encoding: identity',
    'User-Agent: cvat_sdk/2.58.0',
    'Accept: application/vnd.cvat+json',
    `Authorization: ${basic}`,
    'Connection: close',
  ]

  /** Sends a raw request; returns status, headers in lower case, and body. */
  async function exchange(line: string, headers: readonly string[], body: Buffer = Buffer.of()) {
    const { hostname, port } = new URL(reticle.url)
    const socket = connect(Number(port), hostname)
    const head = [line, ...common(), ...headers, `Content-Length: ${body.length}`]
    socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]))
    const answer = await text(socket)
    const [top = '', ...rest] = answer.split('\r\n\r\n')
    const [status = '', ...lines] = top.split('\r\n')
    const shown = lines.map((one): [string, string] => {
      const at = one.indexOf(': ')
      return [one.slice(0, at).toLowerCase(), one.slice(at + 2)]
    })
    const headersOf: Record<string, string | undefined> = Object.fromEntries(shown)
    return { status: Number(status.split(' ')[1]), headers: headersOf, body: rest.join('\r\n\r\n') }
  }

  const json = 'Content-Type: application/json'
  const pathOf = (location: string | undefined) => String(location).replace(reticle.url, '')

  /** Creates an upload and sends chunks, with a HEAD between them as after an error. */
  async function sendByTus(collection: string, name: string, bytes: Buffer, chunkBytes: number) {
    const metadata = Buffer.from(name).toString('base64')
    const created = await exchange(`POST ${collection} HTTP/1.1`, [
      ...[json, `Origin: ${reticle.url}`, 'Tus-Resumable: 1.0.0'],
      ...[`upload-length: ${bytes.length}`, `upload-metadata: filename ${metadata}`],
    ])
    expect(created.status).toBe(201)
    expect(created.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\//)
    const location = pathOf(created.headers.location)
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      const chunk = bytes.subarray(at, at + chunkBytes)
      const headers = ['Tus-Resumable: 1.0.0', `upload-offset: ${at}`]
      const type = 'Content-Type: application/offset+octet-stream'
      const sent = await exchange(`PATCH ${location} HTTP/1.1`, [...headers, type], chunk)
      expect([sent.status, sent.body]).toEqual([204, ''])
      expect(Number(sent.headers['upload-offset'])).toBeGreaterThanOrEqual(at + chunk.length)
      if (at + chunk.length === bytes.length) continue
      const seen = await exchange(`HEAD ${location} HTTP/1.1`, headers.slice(0, 1))
      expect([seen.status, seen.headers['upload-offset']]).toEqual([200, `${at + chunk.length}`])
    }
    return String(created.headers['upload-filename'])
  }

  const boundary = '2a8ae6ad-f4ad-4d9a-a92c-6d217011fe0f'
  function multipartOf(fields: Record<string, string>, files: readonly ImageFile[]): Buffer {
    const parts = Object.entries(fields).map(([name, value]) =>
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      ),
    )
    const bodies = files.map(({ name, bytes }, at) =>
      Buffer.concat([
        Buffer.from(
          `--${boundary}\r\nContent-Disposition: form-data; name="client_files[${at}]"; filename="/home/anna/${name}"\r\nContent-Type: image/png\r\n\r\n`,
        ),
        Buffer.from(bytes),
        Buffer.from('\r\n'),
      ]),
    )
    return Buffer.concat([...parts, ...bodies, Buffer.from(`--${boundary}--\r\n`)])
  }

  test('it creates a task from local files: groups as forms, large files in chunks', async () => {
    const { id } = await reticle.admin.done('POST', '/tasks', { json: { name: 't' } })
    const data = `/api/tasks/${id}/data/`
    const started = await exchange(`POST ${data} HTTP/1.1`, [json, 'Upload-Start: '])
    expect([started.status, started.body]).toEqual([202, ''])

    const [first, second, large] = await createImages(3)
    if (!first || !second || !large) throw new Error('three images are missing')
    const fields = { image_quality: '70', use_cache: 'True' }
    const form = multipartOf(fields, [first, second])
    const type = `Content-Type: multipart/form-data; boundary=${boundary}`
    const added = await exchange(`POST ${data} HTTP/1.1`, [type, 'Upload-Multiple: '], form)
    expect([added.status, added.body]).toEqual([200, ''])
    await sendByTus(data, large.name, Buffer.from(large.bytes), 100)

    const body = Buffer.from(
      '{"image_quality": 70, "use_cache": true, "sorting_method": "lexicographical"}',
    )
    const ended = await exchange(`POST ${data} HTTP/1.1`, [json, 'Upload-Finish: '], body)
    expect(ended.status).toBe(202)
    const { rq_id } = JSON.parse(ended.body)
    await reticle.admin.finished({ rq_id })
    const task = await reticle.admin.done('GET', `/tasks/${id}`)
    expect(task).toMatchObject({ size: 3, image_quality: 70 })
  })

  test('it imports annotations with the same query at start and finish, and the returned file name', async () => {
    const files = await createImages(1)
    const task = await taskWithMedia(reticle.admin, { files })
    const at = `/api/tasks/${task.id}/annotations/`
    const query = '?format=COCO+1.0&filename=coco.json&conv_mask_to_poly=True'
    const started = await exchange(`POST ${at}${query} HTTP/1.1`, [json, 'Upload-Start: '])
    expect([started.status, started.body]).toEqual([202, ''])
    const coco = {
      images: [{ id: 1, file_name: files[0]?.name, width: 64, height: 48 }],
      categories: [{ id: 1, name: 'car' }],
      annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [1, 1, 2, 2] }],
    }
    const bytes = Buffer.from(JSON.stringify(coco))
    const name = await sendByTus(at, 'coco.json', bytes, 64)
    const named = query.replace('coco.json', encodeURIComponent(name))
    const ended = await exchange(`POST ${at}${named} HTTP/1.1`, [json, 'Upload-Finish: '])
    expect(ended.status).toBe(202)
    await reticle.admin.finished(JSON.parse(ended.body))
    const { shapes } = await reticle.admin.done('GET', `/tasks/${task.id}/annotations/`)
    expect(shapes.length).toBe(1)
  })

  test('behind a proxy it gets the upload address that it used itself', async () => {
    const { id } = await reticle.admin.done('POST', '/tasks', { json: { name: 't' } })
    const created = await exchange(`POST /api/tasks/${id}/data/ HTTP/1.1`, [
      ...[json, 'Tus-Resumable: 1.0.0', 'upload-length: 5', 'upload-metadata: filename YQ=='],
      ...['X-Forwarded-Proto: https', 'X-Forwarded-Host: cv.example.org'],
    ])
    const at = new RegExp(`^https://cv.example.org/api/tasks/${id}/data/1_[\\da-f-]{36}$`)
    expect(created.headers.location).toMatch(at)
  })
})
