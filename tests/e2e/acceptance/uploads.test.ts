import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { storedZip } from '../../support/archives.ts'
import type { AnyJson } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { basicOf, createUserFactory, type RegisteredUser } from '../../support/people.ts'
import { createImage, createImages, formOf, type ImageFile } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'
import { begin, sendChunk, sendFile, tus } from '../../support/tus.ts'

/** Uploads of media and annotations. See docs/spec/requests.md#uploads and docs/spec/workspace.md#attaching-media. */

let reticle: ServerUnderTest
let api: RegisteredUser['api']
let anna: RegisteredUser
const { newPerson, newOrganization, newMember } = createUserFactory(() => reticle)
beforeAll(async () => {
  reticle = await shareReticle()
  anna = await newPerson()
  api = anna.api
})

const newTask = async (by = api): Promise<number> =>
  (await by.done('POST', '/tasks', { json: { name: 't', labels: [{ name: 'car' }] } })).id
const dataOf = (id: number) => `/tasks/${id}/data/`
const finish = (id: number, json: AnyJson = {}) =>
  api.call('POST', dataOf(id), { json, headers: { 'upload-finish': '' } })
const addForm = (id: number, files: ImageFile[]) =>
  api.call('POST', dataOf(id), { form: formOf(files), headers: { 'upload-multiple': '' } })
const framesOf = async (id: number) =>
  (await api.done('GET', `/tasks/${id}/data/meta`)).frames.map(({ name }: AnyJson) => name)

const coco = (names: readonly string[], count: number) =>
  JSON.stringify({
    images: names.map((file_name, at) => ({ id: at + 1, file_name, width: 64, height: 48 })),
    categories: [{ id: 1, name: 'car' }],
    annotations: Array.from({ length: count }, (_, at) => ({
      ...{ id: at + 1, image_id: 1, category_id: 1, iscrowd: 0, area: 4, bbox: [1, 1, 2, 2] },
    })),
  })

describe('chunked uploads', () => {
  const bytes = randomBytes(100_000)
  const begun = async (length = bytes.length) => {
    const id = await newTask()
    const { headers } = await begin(api, dataOf(id), { name: 'a.bin', length })
    return { id, location: String(headers.get('location')) }
  }
  const offsetOf = async (location: string, by = api) => {
    const answer = await by.call('HEAD', location, { headers: tus })
    return [answer.status, answer.headers.get('upload-offset'), answer.headers.get('upload-length')]
  }

  test('an upload resumes at the offset that HEAD returns after the client disconnected', async () => {
    // More than the buffers of both sockets hold, so that the server stores bytes before the client disconnects.
    const large = randomBytes(32 * 2 ** 20)
    const { location } = await begun(large.length)
    await cutAfter(location, large.subarray(0, 24 * 2 ** 20), large.length)
    const storedBytes = async () => Number((await offsetOf(location))[1])
    await expect.poll(storedBytes).toBeGreaterThan(0)
    // The offset still moves while the server stores the rest of what has arrived.
    const resume = async () => {
      const offset = await storedBytes()
      const answer = await sendChunk(api, location, offset, large.subarray(offset))
      return [answer.status, answer.headers.get('upload-offset')]
    }
    await expect.poll(resume).toEqual([204, `${large.length}`])
  })

  /** Sends the head of a chunk that announces so many bytes. */
  function openChunk(location: string, announced: number): Socket {
    const { host, hostname, port, pathname } = new URL(location)
    const socket = connect(Number(port), hostname)
    const head = [
      `PATCH ${pathname} HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: ${basicOf(anna.username)}`,
      'Upload-Offset: 0',
      'Content-Type: application/offset+octet-stream',
      `Content-Length: ${announced}`,
      'Expect: 100-continue',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    return socket
  }

  /** Sends some of the announced bytes and closes the connection. */
  async function cutAfter(location: string, sent: Uint8Array, announced: number): Promise<void> {
    const socket = openChunk(location, announced)
    await new Promise((resolve) => socket.write(sent, resolve))
    socket.end()
    socket.resume()
  }

  test('a chunk at a wrong offset is answered 409 with the right offset and no body', async () => {
    const { location } = await begun()
    await sendChunk(api, location, 0, bytes.subarray(0, 10))
    for (const offset of [0, 9, 11, 99_999]) {
      const answer = await sendChunk(api, location, offset, bytes.subarray(0, 1))
      expect([answer.status, answer.text]).toEqual([409, ''])
      expect(answer.headers.get('upload-offset')).toBe('10')
    }
  })

  test('a chunk beyond the announced length and a file above the size limit are refused', async () => {
    const { id, location } = await begun()
    expect((await sendChunk(api, location, 0, randomBytes(100_001))).status).toBe(413)
    expect(await offsetOf(location)).toEqual([200, '0', '100000'])
    const length = 26_843_545_600
    expect((await begin(api, dataOf(id), { name: 'b', length: length + 1 })).status).toBe(413)
    expect((await begin(api, dataOf(id), { name: 'b', length })).status).toBe(201)
  })

  test('an upload is private to its sender', async () => {
    const organization = await newOrganization()
    const owner = organization.owner.api
    const member = (await newMember(organization, 'maintainer')).api
    const { id } = await owner.done('POST', `/tasks?org=${organization.slug}`, {
      json: { name: 't' },
    })
    const first = await begin(owner, dataOf(id), { name: 'a', length: 5 })
    const location = String(first.headers.get('location'))
    expect((await begin(member, dataOf(id), { name: 'b', length: 5 })).status).toBe(201)
    for (const [by, status] of [[member, 403] as const, [api, 403] as const]) {
      expect((await offsetOf(location, by))[0]).toBe(status)
      expect((await sendChunk(by, location, 0, Buffer.from('a'))).status).toBe(status)
      expect((await by.call('DELETE', location, { headers: tus })).status).toBe(status)
    }
    expect((await sendChunk(owner, location, 0, Buffer.from('abcde'))).status).toBe(204)
  })

  test('a completed, cancelled or unknown upload is answered 404', async () => {
    const { location } = await begun(5)
    await sendChunk(api, location, 0, Buffer.from('abcde'))
    expect((await offsetOf(location))[0]).toBe(404)
    expect((await sendChunk(api, location, 5, Buffer.from(''))).status).toBe(404)

    const other = await begun()
    expect((await api.call('DELETE', other.location, { headers: tus })).status).toBe(204)
    expect((await offsetOf(other.location))[0]).toBe(404)
    expect((await api.call('DELETE', other.location, { headers: tus })).status).toBe(404)
    const never = other.location.replace(/[^/]+$/, `${anna.id}_${crypto.randomUUID()}`)
    expect((await offsetOf(never))[0]).toBe(404)
  })

  test('of two concurrent senders one wins, and the file is the one of a single sender', async () => {
    const task = await newTask()
    const files = ['red', 'green'].map((name, at) => Buffer.alloc(3_000_000, `${at}${name}`))
    const { headers } = await begin(api, dataOf(task), { name: 'a.bin', length: 3_000_000 })
    const location = String(headers.get('location'))
    const sockets = files.map(({ length }) => openChunk(location, length))
    await Promise.all(sockets.map((socket) => once(socket, 'data'))) // 100 Continue: both are under way
    const statuses = sockets.map(async (socket, at) => {
      socket.write(files[at] ?? '')
      const [head] = await once(socket, 'data')
      socket.destroy()
      return Number(String(head).split(' ')[1])
    })
    expect((await Promise.all(statuses)).sort()).toEqual([204, 409])
    expect((await offsetOf(location))[0]).toBe(404)
  })

  test('OPTIONS lists the protocol extensions, and the location of the file is returned', async () => {
    const id = await newTask()
    const options = await api.call('OPTIONS', dataOf(id))
    expect(options.status).toBe(204)
    const shown = Object.fromEntries(options.headers)
    expect(shown).toMatchObject({
      'tus-resumable': '1.0.0',
      'tus-version': '1.0.0',
      'tus-extension': 'creation,termination,expiration,checksum',
      'tus-max-size': '26843545600',
    })
    const created = await begin(api, dataOf(id), { name: 'a', length: 5 })
    expect(created.headers.get('location')).toMatch(
      new RegExp(`^${reticle.url}/api/tasks/${id}/data/${anna.id}_[\\da-f-]{36}$`),
    )
    expect(created.headers.get('upload-filename')).toBe('a')
    const expires = Date.parse(String(created.headers.get('upload-expires')))
    expect(Math.round((expires - Date.now()) / 3_600_000)).toBe(12)
  })

  test.each(['task', 'job'])(
    'an uploaded annotation file is imported into a %s by its name',
    async (target) => {
      const files = await createImages(2)
      const task = await taskWithMedia(api, { files })
      const [job] = await jobsOf(api, task.id)
      const at = target === 'task' ? `/tasks/${task.id}` : `/jobs/${job.id}`
      const file = Buffer.from(coco([String(files[0]?.name)], 200))
      const query = '?format=COCO%201.0'
      const begins = await api.call('POST', `${at}/annotations/${query}&filename=a.json`, {
        headers: { 'upload-start': '' },
      })
      expect([begins.status, begins.text]).toEqual([202, ''])
      const name = await sendFile(api, `${at}/annotations/`, { name: 'a.json', bytes: file }, 7000)
      expect(name).toMatch(new RegExp(`^${anna.id}_[\\da-f-]{36}$`))
      const ends = await api.call('POST', `${at}/annotations/${query}&filename=${name}`, {
        headers: { 'upload-finish': '' },
      })
      expect(ends.status).toBe(202)
      await api.finished(ends.body)
      expect((await api.done('GET', `${at}/annotations/`)).shapes.length).toBe(200)
      const again = await api.call('POST', `${at}/annotations/${query}&filename=${name}`, {
        headers: { 'upload-finish': '' },
      })
      expect([again.status, again.body]).toEqual([400, ['No such file were uploaded']])
    },
  )

  test('an import of a missing upload is refused and changes nothing', async () => {
    const task = await taskWithMedia(api)
    const { labels } = task
    await api.done('PUT', `/tasks/${task.id}/annotations`, {
      json: { shapes: [rectangle(labels[0].id)] },
    })
    const at = `/tasks/${task.id}/annotations/?format=COCO%201.0`
    const headers = { 'upload-finish': '' }
    const none = await api.call('POST', at, { headers })
    expect([none.status, none.body]).toEqual([400, { annotation_file: ['No file was submitted.'] }])
    const begun = await begin(api, `/tasks/${task.id}/annotations/`, { name: 'a', length: 5 })
    await sendChunk(api, String(begun.headers.get('location')), 0, Buffer.from('{'))
    const filename = begun.headers.get('upload-filename')
    for (const name of [filename, `${anna.id}_${crypto.randomUUID()}`, 'a.json']) {
      const unknown = await api.call('POST', `${at}&filename=${name}`, { headers })
      expect([unknown.status, unknown.body]).toEqual([400, ['No such file were uploaded']])
    }
    const { shapes } = await api.done('GET', `/tasks/${task.id}/annotations`)
    expect(shapes.length).toBe(1)
  })
})

describe('media sent in several requests', () => {
  test('forms and chunked uploads together become the media of a task', async () => {
    const id = await newTask()
    const [first, second, third] = await createImages(3)
    if (!first || !second || !third) throw new Error('three images are missing')
    const begun = await api.call('POST', dataOf(id), { headers: { 'upload-start': '' } })
    expect([begun.status, begun.text]).toEqual([202, ''])
    const added = await addForm(id, [third])
    expect([added.status, added.text]).toEqual([200, ''])
    expect(await sendFile(api, dataOf(id), { ...second, name: 'in/a/folder.png' }, 50)).toBe(
      'in/a/folder.png',
    )
    expect((await addForm(id, [first])).status).toBe(200)
    const ended = await finish(id, { image_quality: 55, sorting_method: 'lexicographical' })
    expect(ended.status).toBe(202)
    expect(ended.body).toEqual({ rq_id: `action=create&target=task&target_id=${id}` })
    await api.finished(ended.body)
    expect(await framesOf(id)).toEqual([first.name, third.name, 'in/a/folder.png'])
    expect(await api.done('GET', `/tasks/${id}`)).toMatchObject({ size: 3, image_quality: 55 })
  })

  test('images of an archive larger than one object are read from the stored archive', async () => {
    const id = await newTask()
    const files = await createImages(3)
    const noise = { name: 'noise.bin', bytes: randomBytes(9_000_000) }
    const zip = storedZip([
      ...files.slice(0, 1),
      noise,
      ...files.slice(1),
      { ...noise, name: 'more.bin' },
    ])
    await sendFile(api, dataOf(id), { name: 'all.zip', bytes: zip }, 5_000_001)
    await api.finished((await finish(id)).body)
    expect(await framesOf(id)).toEqual(files.map(({ name }) => name))
    for (const number of [0, 1, 2]) {
      const frame = await api.bytes(
        `/tasks/${id}/data?type=frame&quality=original&number=${number}`,
      )
      expect(frame.bytes.equals(Buffer.from(files[number]?.bytes ?? []))).toBe(true)
    }
  })

  test('the finishing request may be a form', async () => {
    const id = await newTask()
    await addForm(id, await createImages(2))
    const form = formOf([], { image_quality: '33', use_cache: 'True' })
    const ended = await api.call('POST', dataOf(id), { form, headers: { 'upload-finish': '' } })
    await api.finished(ended.body)
    expect(await api.done('GET', `/tasks/${id}`)).toMatchObject({ size: 2, image_quality: 33 })
  })

  test('one request can both start and finish', async () => {
    const id = await newTask()
    const headers = { 'upload-start': '', 'upload-finish': '' }
    const ended = await api.call('POST', dataOf(id), {
      form: formOf(await createImages(1)),
      headers,
    })
    await api.finished(ended.body)
    expect((await api.done('GET', `/tasks/${id}`)).size).toBe(1)
  })

  test('media of a task that has media can be neither added nor cleared', async () => {
    const { id } = await taskWithMedia(api)
    const refused = [400, ['Adding more data is not supported']]
    const attempts = [
      () => api.call('POST', dataOf(id), { headers: { 'upload-start': '' } }),
      async () => addForm(id, await createImages(1)),
      () => begin(api, dataOf(id), { name: 'a', length: 5 }),
      () => finish(id),
    ]
    for (const attempt of attempts) {
      const { status, body } = await attempt()
      expect([status, body]).toEqual(refused)
    }
    expect((await api.call('DELETE', `/tasks/${id}/data`)).status).toBe(409)
  })

  test('files of a failed attempt are kept for the next one', async () => {
    const id = await newTask()
    const files = await createImages(2)
    const [first] = files
    if (!first) throw new Error('an image is missing')
    const broken = { name: 'frame-000.png', bytes: first.bytes.slice(0, 20) }
    await addForm(id, [...files, broken])
    const failed = await api.ended((await finish(id)).body.rq_id)
    expect(failed).toMatchObject({
      status: 'failed',
      message: expect.stringContaining(broken.name),
    })
    await sendFile(api, dataOf(id), { ...broken, bytes: first.bytes })
    await api.finished((await finish(id)).body)
    expect(await framesOf(id)).toEqual([broken.name, ...files.map(({ name }) => name)])
  })

  test('an archive beside images fails, and the wrong file can be removed', async () => {
    const id = await newTask()
    const files = await createImages(2)
    await addForm(id, [...files, { name: 'b.zip', bytes: storedZip(files) }])
    const failed = await api.ended((await finish(id)).body.rq_id)
    expect(failed.message).toContain('can be used simultaneously')
    expect((await api.call('DELETE', `/tasks/${id}/data`)).status).toBe(204)
    const nothing = await finish(id)
    expect([nothing.status, nothing.body]).toEqual([
      400,
      { client_files: ['No file was submitted.'] },
    ])
    await addForm(id, files)
    await api.finished((await finish(id)).body)
    expect((await api.done('GET', `/tasks/${id}`)).size).toBe(2)
  })

  test('a path with .. is refused in a chunked upload, and reduced to its base name in a form', async () => {
    const id = await newTask()
    for (const name of ['../a.png', '/a.png', 'a/../b.png', 'a//b.png', 'a'.repeat(1025)]) {
      const answer = await begin(api, dataOf(id), { name, length: 5 })
      expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['Upload-Metadata']])
    }
    await addForm(id, [await createImage('/home/anna/../a.png', 8, 8)])
    await api.finished((await finish(id)).body)
    expect(await framesOf(id)).toEqual(['a.png'])
  })

  test('a second file with the same name is refused', async () => {
    const id = await newTask()
    const [first] = await createImages(1)
    if (!first) throw new Error('an image is missing')
    await addForm(id, [first])
    const again = await begin(api, dataOf(id), { name: first.name, length: 5 })
    expect([again.status, again.body.code]).toEqual([409, 'file_exists'])
    const form = await addForm(id, [first])
    expect([form.status, form.body]).toEqual([
      400,
      { client_files: [`The file ${first.name} was submitted already.`] },
    ])
    expect((await addForm(id, [first, first])).status).toBe(400)
    await api.finished((await finish(id)).body)
    expect(await framesOf(id)).toEqual([first.name])
  })

  test('a JSON body without files is refused', async () => {
    const id = await newTask()
    for (const json of [{}, { image_quality: 70 }]) {
      const answer = await api.call('POST', dataOf(id), { json })
      expect([answer.status, answer.body]).toEqual([
        400,
        { client_files: ['No file was submitted.'] },
      ])
    }
  })
})
