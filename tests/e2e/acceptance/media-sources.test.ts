import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packTar } from '@reticle/formats/testing/tar'
import { startReceiver } from '@reticle/kit/testing/receiver'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf } from '../../support/factories.ts'
import {
  createBitmap,
  createImage,
  createImages,
  formOf,
  type ImageFile,
} from '../../support/pictures.ts'
import { dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'

/** Sources of the media of a task, and the choice and order of frames. */

const { path, remove } = dataDirectory()
const shareDir = mkdtempSync(join(tmpdir(), 'reticle-share-'))
let reticle: Reticle
let api: ApiClient
let elsewhere: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  elsewhere = await startReceiver()
  reticle = await startReticle(path, {
    RETICLE_SHARE_DIR: shareDir,
    RETICLE_JOBS_ALLOWED_NETS: '127.0.0.1/32',
  })
  api = reticle.admin
})
afterAll(async () => {
  await reticle.stop()
  await elsewhere.close()
  remove()
  rmSync(shareDir, { recursive: true, force: true })
})

const newTask = (given: object = {}): Promise<AnyJson> =>
  api.done('POST', '/tasks', { json: { name: 't', labels: [{ name: 'car' }], ...given } })

/** Returns the record of the request, the task, and the task's `data/meta` if it has one. */
async function attach(files: ImageFile[], fields: Record<string, string> = {}, given: object = {}) {
  const { id } = await newTask(given)
  const started = await api.done('POST', `/tasks/${id}/data`, { form: formOf(files, fields) })
  const request = await api.ended(started.rq_id)
  const task = await api.done('GET', `/tasks/${id}`)
  const { body: meta } = await api.call('GET', `/tasks/${id}/data/meta`)
  const names: string[] = task.size > 0 ? meta.frames.map((one: AnyJson) => one.name) : []
  return { id, request, task, meta, names }
}

async function refused(fields: Record<string, string>, files: ImageFile[] = []) {
  const { id } = await newTask()
  const sent = files.length > 0 ? files : await createImages(1)
  const answer = await api.call('POST', `/tasks/${id}/data`, { form: formOf(sent, fields) })
  expect(await api.done('GET', `/tasks/${id}`)).toMatchObject({ size: 0, status: 'new' })
  return [answer.status, answer.body]
}

const file = (name: string, bytes: Uint8Array | string): ImageFile => ({
  name,
  bytes: Buffer.from(bytes),
})

describe('choosing frames', () => {
  test('start, stop and step select the frames, and the metadata lists them', async () => {
    const fields = { start_frame: '2', stop_frame: '30', frame_filter: 'step=3' }
    const { id, task, meta, names } = await attach(await createImages(12), fields, {
      segment_size: 2,
    })
    expect(task).toMatchObject({ size: 4, status: 'annotation', image_quality: 70 })
    expect(names).toEqual([3, 6, 9, 12].map((n) => `frame-0${String(n).padStart(2, '0')}.png`))
    expect(meta).toMatchObject({ size: 4, start_frame: 2, stop_frame: 11, frame_filter: 'step=3' })
    const [, second] = await jobsOf(api, id)
    expect(second).toMatchObject({ start_frame: 2, stop_frame: 3 })
    const part = await api.done('GET', `/jobs/${second.id}/data/meta`)
    expect(part).toMatchObject({ size: 2, start_frame: 8, stop_frame: 11 })
    const { bytes } = await api.bytes(`/tasks/${id}/data?type=frame&number=3&quality=original`)
    expect(bytes).toEqual((await createImages(1))[0]?.bytes)
  })

  test('an invalid choice of frames is refused by the name of its field', async () => {
    const text = 'Stop frame must be more or equal start frame'
    expect(await refused({ start_frame: '3', stop_frame: '2' })).toEqual([
      400,
      { stop_frame: [text] },
    ])
    expect(await refused({ frame_filter: 'step=0' })).toEqual([
      400,
      { frame_filter: [expect.stringContaining('step=N')] },
    ])
    const { request } = await attach(await createImages(2), { start_frame: '2' })
    expect(request).toMatchObject({
      status: 'failed',
      message: 'start_frame: there are only 2 frames, the frame 2 is none of them',
    })
  })

  test('parameters without effect are accepted', async () => {
    const fields = { use_cache: 'true', storage_method: 'cache', use_zip_chunks: 'true' }
    const { task } = await attach(await createImages(1), { ...fields, copy_data: 'false' })
    expect(task.size).toBe(1)
  })
})

describe('the order of frames', () => {
  const three = async () => (await createImages(3)).reverse()

  test('predefined sorting uses upload_file_order', async () => {
    const order = ['frame-002.png', 'frame-003.png', 'frame-001.png']
    const fields = Object.fromEntries(order.map((one, at) => [`upload_file_order[${at}]`, one]))
    const { names } = await attach(await three(), { sorting_method: 'predefined', ...fields })
    expect(names).toEqual(order)
  })

  test('an order that lists other files is refused and names them', async () => {
    const fields = { sorting_method: 'predefined', upload_file_order: '["frame-001.png","x.png"]' }
    const [status, body] = await refused(fields, await three())
    expect(status).toBe(400)
    expect(body.upload_file_order[0]).toContain(
      'Mismatching files: frame-003.png (upload), frame-002.png (upload), x.png (expected)',
    )
  })

  test('predefined sorting follows a manifest, and random sorting differs from the order of names', async () => {
    const lines = [{ version: '1.1' }, { type: 'images' }]
    const frames = ['frame-002', 'frame-001', 'frame-003'].map((name) => ({
      ...{ name, extension: '.png', width: 64, height: 48 },
    }))
    const text = [...lines, ...frames].map((one) => JSON.stringify(one)).join('\n')
    const files = [...(await three()), file('manifest.jsonl', text)]
    const { names } = await attach(files, { sorting_method: 'predefined' })
    expect(names).toEqual(frames.map(({ name }) => `${name}.png`))
    const random = await attach(await createImages(12), { sorting_method: 'random' })
    expect([...random.names].sort()).toEqual((await createImages(12)).map(({ name }) => name))
    expect(random.names).not.toEqual([...random.names].sort())
  })
})

describe('archives and mixed files', () => {
  const members = async () => {
    const [one, two] = await createImages(2)
    if (!one || !two) throw new Error('there are no pictures')
    return {
      'in/a.png': one.bytes,
      'in/notes.txt': Buffer.from('no picture'),
      'in/related_images/a_png/side.png': two.bytes,
      'b.bmp': createBitmap(30, 20),
    }
  }

  test.each([
    ['tar', packTar],
    ['tar.gz', (files: Record<string, Uint8Array>) => gzipSync(packTar(files))],
  ])('frames are read from a %s, with their context images', async (_, pack) => {
    const { id, meta, names, request } = await attach([file('all.archive', pack(await members()))])
    expect(names).toEqual(['b.bmp', 'in/a.png'])
    expect(meta.frames).toMatchObject([
      { width: 30, height: 20, related_files: 0, has_related_context: false },
      { width: 64, height: 48, related_files: 1, has_related_context: true },
    ])
    expect(request.report).toMatchObject({ skipped: 1, entries: [{ reason: 'no image' }] })
    const original = await api.bytes(`/tasks/${id}/data?type=frame&number=1&quality=original`)
    expect(original.bytes).toEqual((await members())['in/a.png'])
  })

  test('a bitmap is readable as original, compressed and preview image', async () => {
    const { id } = await attach([file('b.bmp', createBitmap(300, 200))])
    const original = await api.bytes(`/tasks/${id}/data?type=frame&number=0&quality=original`)
    expect([original.headers.get('content-type'), original.bytes]).toEqual([
      'image/bmp',
      createBitmap(300, 200),
    ])
    const compressed = await api.bytes(`/tasks/${id}/data?type=frame&number=0`)
    expect(await sharp(compressed.bytes).metadata()).toMatchObject({
      format: 'jpeg',
      width: 300,
      height: 200,
    })
    const preview = await api.bytes(`/tasks/${id}/preview`)
    expect(await sharp(preview.bytes).metadata()).toMatchObject({ width: 256 })
    expect((await api.done('GET', '/server/capabilities')).image_types).toContain('bmp')
  })

  test.each<[string, () => Promise<ImageFile[]>, unknown]>([
    [
      'an archive and an image',
      async () => [file('a.tar', packTar(await members())), await createImage('a.png', 4, 4)],
      'Only one zip, video, pdf or archive or many images can be used simultaneously, but there are 1 archive and 1 image',
    ],
    [
      'no usable file',
      async () => [file('a.txt', 'text')],
      expect.stringMatching(
        /^No media data found\. a\.txt: unknown file type\. Pictures are read as /,
      ),
    ],
    [
      'a truncated archive',
      async () => [file('a.tgz', gzipSync(packTar(await members())).subarray(0, -20))],
      'a.tgz: the archive is damaged or cut off',
    ],
    [
      'a path with ..',
      async () => [file('a.tar', packTar({ '../a.png': Buffer.alloc(4) }))],
      'bad path in archive: "../a.png" leaves the archive',
    ],
    [
      'a video with only a header',
      async () => [file('a.mp4', '\0\0\0\x18ftypisom')],
      'a.mp4: no video can be read from it: it is damaged, cut off or of another kind',
    ],
  ])(
    '%s fails with a one-sentence message, and another attempt is allowed',
    async (_, files, message) => {
      const { id, request, task } = await attach(await files())
      expect([request.status, request.message]).toEqual(['failed', message])
      expect(task).toMatchObject({ size: 0, status: 'new' })
      const form = formOf(await createImages(1))
      await api.finished(await api.done('POST', `/tasks/${id}/data`, { form }))
      expect((await api.done('GET', `/tasks/${id}`)).size).toBe(1)
    },
  )
})

describe('files of the share', () => {
  beforeAll(async () => {
    const [one] = await createImages(1)
    if (!one) throw new Error('there is no picture')
    mkdirSync(join(shareDir, 'street/night'), { recursive: true })
    for (const name of ['a.png', 'street/1.png', 'street/night/2.png', 'street/10.png'])
      writeFileSync(join(shareDir, name), one.bytes)
    symlinkSync('/etc/hostname', join(shareDir, 'out.png'))
  })

  test('files and folders of the share become frames that stay on the share', async () => {
    const fields = { 'server_files[0]': 'street/', 'server_files[1]': 'a.png' }
    const left = { server_files_exclude: '["street/10.png"]', sorting_method: 'natural' }
    const { id, meta, names } = await attach([], { ...fields, ...left })
    expect(names).toEqual(['a.png', 'street/1.png', 'street/night/2.png'])
    expect(meta.storage).toBe('share')
    const original = `/tasks/${id}/data?type=frame&number=2&quality=original`
    expect((await api.bytes(original)).bytes).toEqual((await createImages(1))[0]?.bytes)
    rmSync(join(shareDir, 'street/night/2.png'))
    expect((await api.bytes(original)).status).toBe(404)
  })

  test('copied media is readable after the file on the share was deleted', async () => {
    const { bytes } = await createImage('passing.png', 20, 10)
    writeFileSync(join(shareDir, 'passing.png'), bytes)
    const { id, meta } = await attach([], { 'server_files[0]': 'passing.png', copy_data: 'true' })
    expect(meta.storage).toBe('local')
    rmSync(join(shareDir, 'passing.png'))
    const { bytes: kept } = await api.bytes(
      `/tasks/${id}/data?type=frame&number=0&quality=original`,
    )
    expect(kept).toEqual(bytes)
  })

  test('no path outside of the share can be read', async () => {
    const [status, body] = await refused({ 'server_files[0]': '../../etc/passwd' })
    expect([status, body.server_files]).toEqual([400, [[expect.stringContaining('relative path')]]])
    const { request } = await attach([], { 'server_files[0]': 'out.png' })
    expect(request.message).toBe("server_files: 'out.png' is not on the file share, or empty")
  })
})

describe('files of remote servers', () => {
  test('remote files are fetched, also through redirects', async () => {
    const { bytes } = await createImage('a.png', 20, 10)
    elsewhere.answer(({ path: requestedPath }) =>
      requestedPath === '/moved'
        ? { status: 302, headers: { location: '/b.png' } }
        : { body: bytes },
    )
    const remote_files = JSON.stringify([`${elsewhere.url}/a.png?k=1`, `${elsewhere.url}/moved`])
    const { id, names, meta } = await attach([], { remote_files })
    expect([names, meta.storage]).toEqual([['a.png', 'moved'], 'local'])
    const { bytes: kept } = await api.bytes(
      `/tasks/${id}/data?type=frame&number=1&quality=original`,
    )
    expect(kept).toEqual(bytes)
  })

  test('a missing remote file fails the request with its address and status', async () => {
    elsewhere.answer({ status: 404, body: 'words of the other side' })
    const url = `${elsewhere.url}/a.png`
    const { request } = await attach([], { 'remote_files[0]': url })
    expect(request.message).toBe(`${url} could not be fetched: the answer was 404`)
    expect(request.report).toMatchObject({ created: { shapes: 0 }, entries: [] })
  })

  test('internal addresses are refused at once, and also behind a redirect', async () => {
    const inside = ['http://10.0.0.1/a.png', 'http://localhost/a.png', 'ftp://example.org/a.png']
    for (const url of inside) {
      const [status, body] = await refused({ 'remote_files[0]': url })
      expect([status, Object.keys(body)]).toEqual([400, ['remote_files']])
    }
    elsewhere.answer({ status: 307, headers: { location: 'http://169.254.169.254/latest' } })
    const url = `${elsewhere.url}/a.png`
    const { request } = await attach([], { 'remote_files[0]': url })
    expect(request.message).toBe(`${url} could not be fetched: target address is not allowed`)
  })
})
