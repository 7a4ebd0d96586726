import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { unzip } from '../../support/archives.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf, taskWithMedia } from '../../support/factories.ts'
import { createUserFactory } from '../../support/people.ts'
import { createMixedImages, formOf, type ImageFile } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Reading frames, chunks, previews and metadata. See docs/spec/workspace.md#reading-media. */

let reticle: ServerUnderTest
let api: ApiClient
/** A task with frames 0 to 9 in the jobs 0-3, 4-7 and 8-9, with three frames a chunk. */
let task: AnyJson
let jobs: AnyJson[]
let files: ImageFile[]
beforeAll(async () => {
  reticle = await shareReticle()
  api = reticle.admin
  files = await createMixedImages(10)
  task = await attached(files)
  jobs = await jobsOf(api, task.id)
})
const { newPerson } = createUserFactory(() => reticle)

async function attached(from: ImageFile[], given: AnyJson = {}): Promise<AnyJson> {
  const { chunk_size = '3', segment_size = 4, ...json } = given
  const { id } = await api.done('POST', '/tasks', { json: { name: 't', segment_size, ...json } })
  const form = formOf(from, { chunk_size, image_quality: '80' })
  await api.finished(await api.done('POST', `/tasks/${id}/data`, { form }))
  return api.done('GET', `/tasks/${id}`)
}

const read = (of: string, query: string, headers?: Record<string, string>) =>
  api.bytes(`/${of}/data?${query}`, headers)
const ofTask = (query: string, headers?: Record<string, string>) =>
  read(`tasks/${task.id}`, query, headers)
const ofJob = (index: number, query: string) => read(`jobs/${jobs[index]?.id}`, query)
const sizesOf = async (archive: Buffer) => {
  const members = [...(await unzip(archive)).values()]
  const seen = await Promise.all(members.map((bytes) => sharp(bytes).metadata()))
  return seen.map(({ format, width }) => `${format} ${width}`)
}
const metaOf = (of: string) => api.done('GET', `/${of}/data/meta`)
const remember = (of: string, deleted_frames: AnyJson) =>
  api.call('PATCH', `/${of}/data/meta`, { json: { deleted_frames } })

describe('reading a frame', () => {
  test('an original frame is the uploaded file, and a compressed frame is an upright JPEG', async () => {
    for (const number of [1, 2]) {
      const type = number === 1 ? 'image/png' : 'image/jpeg'
      const original = await ofTask(`type=frame&number=${number}&quality=original`)
      expect([original.status, original.headers.get('content-type')]).toEqual([200, type])
      expect(original.bytes).toEqual(Buffer.from(files[number]?.bytes ?? []))
    }
    const compressed = await ofTask('type=frame&number=2')
    expect(compressed.headers.get('content-type')).toBe('image/jpeg')
    expect(await sharp(compressed.bytes).metadata()).toMatchObject({
      ...{ format: 'jpeg', width: 30, height: 42 },
    })
    const named = await ofTask('type=frame&number=2&quality=compressed')
    expect(named.bytes).toEqual(compressed.bytes)
  })

  test.each(['type=frame&number=0', 'type=frame&number=0&quality=original'])(
    '%s can be cached, and is answered 304 when unchanged',
    async (query) => {
      const { headers } = await ofTask(query)
      expect(headers.get('cache-control')).toBe('private, max-age=3600')
      const etag = headers.get('etag') ?? ''
      const again = await ofTask(query, { 'if-none-match': etag })
      expect([again.status, again.bytes.length, again.headers.get('etag')]).toEqual([304, 0, etag])
    },
  )

  test('a frame of a job has the number of the task, and frames outside of the job are refused', async () => {
    const frame = await ofJob(1, 'type=frame&number=4')
    expect(frame.bytes).toEqual((await ofTask('type=frame&number=4')).bytes)
    for (const number of [3, 8, -1]) {
      const { status, bytes } = await ofJob(1, `type=frame&number=${number}`)
      const text = `The frame ${number} is not in this job: it has the frames 4 to 7`
      expect([status, JSON.parse(bytes.toString())]).toEqual([400, [text]])
    }
  })

  test.each([
    ['number=0', 'Data type not specified'],
    ['type=film&number=0', 'not supported'],
    ['type=frame', 'Number is not specified'],
    ['type=chunk', 'Number is not specified'],
    ['type=context_image', 'Number is not specified'],
    ['type=frame&number=0&quality=best', 'Wrong quality value'],
    ['type=chunk&number=0&quality=best', 'Wrong quality value'],
    ['type=frame&number=x', 'A valid integer is required'],
    ['type=frame&number=10', 'The frame 10 is not in this task'],
    ['type=chunk&number=4', 'The chunk with the number 4 is not here'],
    ['type=chunk&number=-1', 'The chunk with the number -1 is not here'],
  ])('the query %s is refused', async (query, text) => {
    const { status, bytes } = await ofTask(query)
    expect([status, bytes.toString()]).toEqual([400, expect.stringContaining(text)])
  })

  test('a frame without context images is answered 404', async () => {
    const { status, bytes } = await ofTask('type=context_image&number=0')
    expect([status, JSON.parse(bytes.toString()).code]).toEqual([404, 'no_context_images'])
  })

  test('a frame that cannot be decoded is answered 404, and its neighbours are readable', async () => {
    const whole = Buffer.from(files[0]?.bytes ?? [])
    const noise = { type: 'gaussian' as const, mean: 128, sigma: 30 }
    const create = { width: 90, height: 90, channels: 3 as const, background: 'black', noise }
    const cut = (await sharp({ create }).jpeg().toBuffer()).subarray(0, 1500)
    const broken = { name: 'broken.jpg', bytes: cut }
    const { id } = await taskWithMedia(api, { files: [broken, { name: 'c.jpg', bytes: whole }] })
    const code = async (route: string) => {
      const { status, bytes } = await api.bytes(`/tasks/${id}/${route}`)
      return [status, status === 200 ? '' : JSON.parse(bytes.toString()).code]
    }
    expect(await code('data?type=frame&number=0')).toEqual([404, 'image_undecodable'])
    expect(await code('data?type=frame&number=0&quality=original')).toEqual([200, ''])
    expect(await code('data?type=frame&number=1')).toEqual([200, ''])
    expect(await code('preview')).toEqual([404, 'image_undecodable'])
    const empty = await api.bytes(`/tasks/${id}/preview`, { prefer: 'handling=empty' })
    expect([empty.status, empty.bytes.length]).toEqual([204, 0])
    const members = await unzip((await api.bytes(`/tasks/${id}/data?type=chunk&number=0`)).bytes)
    expect([...members.keys()]).toEqual(['000000.jpeg', '000001.jpeg'])
    expect(members.get('000000.jpeg')).toEqual(broken.bytes)
    expect((await sharp(members.get('000001.jpeg')).metadata()).width).toBe(40)
  })
})

describe('reading a preview', () => {
  test('a preview can be cached, and is answered 304 when unchanged', async () => {
    for (const of of [`tasks/${task.id}`, `jobs/${jobs[1]?.id}`]) {
      const { headers } = await api.bytes(`/${of}/preview`)
      expect(headers.get('cache-control')).toBe('private, max-age=3600')
      const known = { 'if-none-match': headers.get('etag') ?? '' }
      expect((await api.bytes(`/${of}/preview`, known)).status).toBe(304)
    }
  })
})

describe('reading a chunk', () => {
  test('a chunk of a task is an archive of JPEG files in frame order', async () => {
    const first = await ofTask('type=chunk&number=0')
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/zip'])
    const names = [...(await unzip(first.bytes)).keys()]
    expect(names).toEqual(['000000.jpeg', '000001.jpeg', '000002.jpeg'])
    expect(await sizesOf(first.bytes)).toEqual(['jpeg 40', 'jpeg 41', 'jpeg 30'])
    const last = await ofTask('type=chunk&number=3')
    expect([...(await unzip(last.bytes)).keys()]).toEqual(['000000.jpeg'])
    expect(await sizesOf(last.bytes)).toEqual(['jpeg 49'])
  })

  test('an original chunk contains the uploaded files, photos with an orientation turned', async () => {
    const { bytes } = await ofTask('type=chunk&number=0&quality=original')
    const members = await unzip(bytes)
    expect([...members.keys()]).toEqual(['000000.JPG', '000001.png', '000002.JPG'])
    const [first, second, photo = Buffer.alloc(0)] = members.values()
    expect([first, second]).toEqual(files.slice(0, 2).map((file) => Buffer.from(file.bytes)))
    const { width, height, orientation = 1 } = await sharp(photo).metadata()
    expect([width, height, orientation]).toEqual([30, 42, 1])
  })

  test('a chunk has caching headers and a checksum, and is identical for concurrent readers', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => ofTask('type=chunk&number=1')))
    const [first] = all
    for (const one of all) {
      expect(one.bytes).toEqual(first?.bytes)
      expect(one.headers.get('x-checksum')).toMatch(/^\d+$/)
      expect(one.headers.get('x-checksum')).toBe(first?.headers.get('x-checksum'))
    }
    const { chunks_updated_date } = await metaOf(`tasks/${task.id}`)
    const { headers } = all[0] ?? expect.unreachable()
    expect(headers.get('x-updated-date')).toBe(chunks_updated_date)
    expect(headers.get('cache-control')).toBe('private, max-age=3600')
    expect(headers.get('accept-ranges')).toBe('bytes')
    expect(headers.get('content-length')).toBe(String(first?.bytes.length))
    const known = await ofTask('type=chunk&number=1', {
      'if-none-match': headers.get('etag') ?? '',
    })
    expect([known.status, known.bytes.length]).toEqual([304, 0])
    const head = await api.call('HEAD', `/tasks/${task.id}/data?type=chunk&number=1`)
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
      ...[200, headers.get('content-length'), headers.get('etag')],
    ])
  })

  test('a chunk can be read by byte ranges', async () => {
    const whole = (await ofTask('type=chunk&number=1')).bytes
    const part = (range: string) => ofTask('type=chunk&number=1', { range })
    for (const [range, bytes, bounds] of [
      ['bytes=0-99', whole.subarray(0, 100), '0-99'],
      ['bytes=100-', whole.subarray(100), `100-${whole.length - 1}`],
      ['bytes=-7', whole.subarray(-7), `${whole.length - 7}-${whole.length - 1}`],
    ] as const) {
      const answer = await part(range)
      expect([answer.status, answer.headers.get('content-range')]).toEqual([
        ...[206, `bytes ${bounds}/${whole.length}`],
      ])
      expect(answer.bytes).toEqual(bytes)
    }
    const none = await part(`bytes=${whole.length}-`)
    expect([none.status, none.headers.get('content-range')]).toEqual([
      ...[416, `bytes */${whole.length}`],
    ])
  })

  test('a chunk of a job by index starts at the first frame of the job', async () => {
    expect(await sizesOf((await ofJob(1, 'type=chunk&index=0')).bytes)).toEqual([
      ...['jpeg 44', 'jpeg 45', 'jpeg 46'],
    ])
    expect(await sizesOf((await ofJob(1, 'type=chunk&index=1')).bytes)).toEqual(['jpeg 47'])
    expect((await ofJob(1, 'type=chunk&index=2')).status).toBe(400)
  })

  test('a chunk of a job by number is the chunk of the task, cut to the job', async () => {
    expect(await sizesOf((await ofJob(1, 'type=chunk&number=1')).bytes)).toEqual([
      ...['jpeg 44', 'jpeg 45'],
    ])
    expect(await sizesOf((await ofJob(1, 'type=chunk&number=2')).bytes)).toEqual([
      ...['jpeg 46', 'jpeg 47'],
    ])
    for (const number of [0, 3])
      expect((await ofJob(1, `type=chunk&number=${number}`)).status).toBe(400)
  })

  test('a chunk of a job needs exactly one of index and number', async () => {
    for (const query of ['type=chunk', 'type=chunk&number=1&index=0'])
      expect((await ofJob(1, query)).status, query).toBe(400)
  })

  test('only users who may view the task can read its chunks', async () => {
    const stranger = await newPerson()
    const { status } = await stranger.api.bytes(`/tasks/${task.id}/data?type=chunk&number=0`)
    expect(status).toBe(403)
    expect((await api.bytes('/tasks/999999/data?type=chunk&number=0')).status).toBe(404)
  })

  test('chunks of a deleted task are answered 404', async () => {
    const { id } = await attached(files.slice(0, 2))
    expect((await api.bytes(`/tasks/${id}/data?type=chunk&number=0`)).status).toBe(200)
    await api.done('DELETE', `/tasks/${id}`)
    expect((await api.bytes(`/tasks/${id}/data?type=chunk&number=0`)).status).toBe(404)
  })

  test('media of a task without media is refused', async () => {
    const { id } = await api.done('POST', '/tasks', { json: { name: 't' } })
    for (const route of ['data?type=chunk&number=0', 'data?type=frame&number=0', 'data/meta']) {
      const { status, bytes } = await api.bytes(`/tasks/${id}/${route}`)
      expect([status, JSON.parse(bytes.toString())]).toEqual([
        ...[400, ['Data is not uploaded for the task yet']],
      ])
    }
  })
})

describe('metadata of media', () => {
  test('metadata of a task and of its jobs', async () => {
    const meta = await metaOf(`tasks/${task.id}`)
    expect(meta).toMatchObject({
      ...{ chunk_size: 3, size: 10, image_quality: 80, start_frame: 0, stop_frame: 9 },
      ...{ frame_filter: '', storage: 'local', cloud_storage_id: null, chapters: null },
      ...{ deleted_frames: [], included_frames: null },
      chunks_updated_date: expect.stringMatching(/Z$/),
    })
    expect(meta.frames).toHaveLength(10)
    expect(meta.frames[2]).toEqual({
      ...{ name: 'f-2.JPG', width: 30, height: 42 },
      ...{ related_files: 0, has_related_context: false },
    })
    expect(await metaOf(`jobs/${jobs[1]?.id}`)).toEqual({
      ...meta,
      ...{ size: 4, start_frame: 4, stop_frame: 7, frames: meta.frames.slice(4, 8) },
    })
  })

  test('metadata and chunks of a ground truth job', async () => {
    const { id: task_id } = await attached(files)
    const json = {
      ...{ type: 'ground_truth', task_id },
      ...{ frame_selection_method: 'manual', frames: [1, 4, 5, 9] },
    }
    const { id } = await api.done('POST', '/jobs', { json })
    await remember(`tasks/${task_id}`, [0, 4])
    const layout = { json: { disabled_frames: [9] } }
    await api.done('PATCH', `/tasks/${task_id}/validation_layout`, layout)
    const meta = await metaOf(`jobs/${id}`)
    expect(meta).toMatchObject({ size: 4, included_frames: [1, 4, 5, 9], deleted_frames: [4, 9] })
    const names = meta.frames.map(({ name }: AnyJson) => name)
    expect(names.slice(0, 5)).toEqual([
      ...['placeholder.jpg', 'f-1.png', 'placeholder.jpg', 'placeholder.jpg', 'f-4.JPG'],
    ])
    const chunk = async (query: string) =>
      sizesOf((await read(`jobs/${id}`, `type=chunk&${query}`)).bytes)
    expect(await chunk('index=0')).toEqual(['jpeg 41', 'jpeg 44', 'jpeg 45'])
    expect(await chunk('index=1')).toEqual(['jpeg 49'])
    expect(await chunk('number=1')).toEqual(['jpeg 1', 'jpeg 44', 'jpeg 45'])
    expect(await chunk('number=2')).toEqual(['jpeg 1', 'jpeg 1', 'jpeg 1'])
    expect((await read(`jobs/${id}`, 'type=chunk&number=4')).status).toBe(400)
    expect((await read(`jobs/${id}`, 'type=frame&number=0')).status).toBe(400)
    expect((await remember(`jobs/${id}`, [0])).status).toBe(400)
    const { body } = await remember(`jobs/${id}`, [5, 9])
    expect(body.deleted_frames).toEqual([4, 5, 9])
    expect((await metaOf(`tasks/${task_id}`)).deleted_frames).toEqual([0, 4])
    const { disabled_frames } = await api.done('GET', `/tasks/${task_id}/validation_layout`)
    expect(disabled_frames).toEqual([5, 9])
  })

  test('metadata of a project is summed over its tasks', async () => {
    const { id } = await api.done('POST', '/projects', { json: { name: 'p' } })
    const first = await attached(files.slice(0, 3), { project_id: id })
    await attached(files.slice(0, 2), { project_id: id })
    await remember(`tasks/${first.id}`, [0, 1])
    expect(await metaOf(`projects/${id}`)).toEqual({ size: 5, tasks: 2, deleted_frames: 2 })
  })
})

describe('deleted frames', () => {
  test('deleted frames of a task are replaced as a whole, and their images stay readable', async () => {
    const { id } = await attached(files)
    const of = `tasks/${id}`
    const { status, body } = await remember(of, [8, 2])
    expect([status, body.deleted_frames, body.frames.length]).toEqual([200, [2, 8], 10])
    expect(await metaOf(of)).toEqual(body)
    const frame = await read(of, 'type=frame&number=2&quality=original')
    expect(frame.bytes).toEqual(Buffer.from(files[2]?.bytes ?? []))
    const chunk = await read(of, 'type=chunk&number=0')
    expect(await sizesOf(chunk.bytes)).toEqual(['jpeg 40', 'jpeg 41', 'jpeg 30'])
    expect((await remember(of, [2])).body.deleted_frames).toEqual([2])
    expect((await remember(of, [])).body.deleted_frames).toEqual([])
  })

  test("deleted frames of a job are the part of the task's list that lies in the job", async () => {
    const { id } = await attached(files)
    const [, second] = await jobsOf(api, id)
    await remember(`tasks/${id}`, [0, 5])
    const { body } = await remember(`jobs/${second.id}`, [7, 4])
    expect([body.size, body.deleted_frames]).toEqual([4, [4, 7]])
    expect((await metaOf(`tasks/${id}`)).deleted_frames).toEqual([0, 4, 7])
    await remember(`jobs/${second.id}`, [])
    expect((await metaOf(`tasks/${id}`)).deleted_frames).toEqual([0])
  })

  test('repeated and unknown frame numbers are refused, and nothing changes', async () => {
    const { id } = await attached(files)
    const [first] = await jobsOf(api, id)
    await remember(`tasks/${id}`, [1])
    const before = await api.done('GET', `/tasks/${id}`)
    for (const [of, frames] of [
      [`tasks/${id}`, [3, 3]],
      [`tasks/${id}`, [10]],
      [`tasks/${id}`, [-1]],
      [`tasks/${id}`, 'all'],
      [`jobs/${first.id}`, [4]],
      [`jobs/${first.id}`, [0, 0]],
    ] as const) {
      const { status, body } = await remember(of, frames)
      expect([status, Object.keys(body)], `${of} ${frames}`).toEqual([400, ['deleted_frames']])
    }
    expect(await api.done('GET', `/tasks/${id}`)).toEqual(before)
    expect((await metaOf(`tasks/${id}`)).deleted_frames).toEqual([1])
  })

  test('deleting frames honours If-Match and changes the updated date of the task', async () => {
    const { id } = await attached(files)
    const before = await api.call('GET', `/tasks/${id}`)
    const change = (frames: number[], etag: string | null) =>
      api.call('PATCH', `/tasks/${id}/data/meta`, {
        json: { deleted_frames: frames },
        headers: { 'if-match': etag ?? '' },
      })
    const etag = before.headers.get('etag')
    expect((await change([1], etag)).status).toBe(200)
    expect((await change([2], etag)).status).toBe(412)
    const after = await api.call('GET', `/tasks/${id}`)
    expect(after.body.updated_date > before.body.updated_date).toBe(true)
    expect((await remember(`tasks/${id}`, [1])).status).toBe(200)
    expect((await api.call('GET', `/tasks/${id}`)).headers.get('etag')).toBe(
      after.headers.get('etag'),
    )
  })
})
