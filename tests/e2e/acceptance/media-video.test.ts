import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeClip } from '@reticle/kit/testing/video/clips'
import { readNumber } from '@reticle/kit/testing/video/numbered'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unzip } from '../../support/archives.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf } from '../../support/factories.ts'
import { createImages, formOf, type ImageFile } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Tasks made from videos. */

const folder = mkdtempSync(join(tmpdir(), 'reticle-clips-'))
let reticle: ServerUnderTest
let api: ApiClient
/** A task of 60 frames, 25 per job with an overlap of five. */
let task: AnyJson
beforeAll(async () => {
  reticle = await shareReticle()
  api = reticle.admin
  task = (await attach([clip('a.mp4')], {}, { segment_size: 25 })).task
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
})

function clip(name: string, given: Parameters<typeof writeClip>[1] = {}): ImageFile {
  const file = join(folder, name)
  writeClip(file, { frames: 60, options: { bf: '3' }, ...given })
  return { name, bytes: readFileSync(file) }
}

async function attach(files: ImageFile[], fields: Record<string, string> = {}, given: object = {}) {
  const json = { name: 't', labels: [{ name: 'car' }], ...given }
  const { id } = await api.done('POST', '/tasks', { json })
  const started = await api.done('POST', `/tasks/${id}/data`, { form: formOf(files, fields) })
  const request = await api.ended(started.rq_id)
  return { request, task: await api.done('GET', `/tasks/${id}`) }
}

const read = (of: string, query: string) => api.bytes(`/${of}/data?${query}`)
const numbersOf = async (archive: Buffer) => {
  const members = await unzip(archive)
  return Promise.all([...members.values()].map(readNumber))
}
const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step)

describe('media from a video', () => {
  test('a video becomes a task whose jobs share five frames', async () => {
    expect(task).toMatchObject({
      ...{ size: 60, mode: 'interpolation', overlap: 5, segment_size: 25, data_chunk_size: 36 },
      ...{ data_original_chunk_type: 'imageset', data_compressed_chunk_type: 'imageset' },
    })
    const jobs = await jobsOf(api, task.id)
    expect(jobs.map((job) => [job.start_frame, job.stop_frame])).toEqual([
      [0, 24],
      [20, 44],
      [40, 59],
    ])
    const meta = await api.done('GET', `/tasks/${task.id}/data/meta`)
    const frames = [
      { name: 'a.mp4', width: 320, height: 192, related_files: 0, has_related_context: false },
    ]
    expect(meta).toMatchObject({ size: 60, start_frame: 0, stop_frame: 59, frames })
    expect(await api.done('GET', `/jobs/${jobs[1]?.id}/data/meta`)).toMatchObject({
      ...{ size: 25, start_frame: 20, stop_frame: 44, frames },
    })
  })

  test('a video in another codec with chosen frames has exactly those frames', async () => {
    const webm = clip('b.webm', { codec: 'vp9', options: { 'cpu-used': '8' } })
    const fields = { start_frame: '4', stop_frame: '50', frame_filter: 'step=7' }
    const { task } = await attach([webm], fields)
    expect(task).toMatchObject({ size: 7, overlap: 0 })
    const meta = await api.done('GET', `/tasks/${task.id}/data/meta`)
    expect(meta).toMatchObject({ start_frame: 4, stop_frame: 46, frame_filter: 'step=7' })
    const chunk = await read(`tasks/${task.id}`, 'type=chunk&number=0')
    expect(await numbersOf(chunk.bytes)).toEqual(range(4, 47, 7))
  })

  test.each<[string, () => Promise<ImageFile[]> | ImageFile[], string]>([
    [
      'a video beside images',
      async () => [clip('c.mp4', { frames: 5 }), ...(await createImages(2))],
      'Only one zip, video, pdf or archive or many images can be used simultaneously, but there are 1 video and 2 images',
    ],
    [
      'a truncated video',
      () => {
        const { name, bytes } = clip('cut.mp4')
        return [{ name, bytes: bytes.subarray(0, bytes.length / 2) }]
      },
      'cut.mp4: ',
    ],
    [
      'a file that is not a video',
      () => [{ name: 'none.mkv', bytes: Buffer.from('\x1aE\xdf\xa3 and nothing', 'latin1') }],
      'none.mkv: ',
    ],
  ])(
    '%s fails with a message that names it, and leaves the task without media',
    async (_, files, text) => {
      const { request, task } = await attach(await files())
      expect(request).toMatchObject({ status: 'failed', message: expect.stringContaining(text) })
      expect(request.message).not.toContain(tmpdir())
      expect(task).toMatchObject({ size: 0, status: 'new' })
    },
  )

  test('capabilities of the server list video', async () => {
    const { media } = await api.done('GET', '/server/capabilities')
    expect(media).toContain('video')
  })
})

describe('frames of a video', () => {
  test('frames have the right numbers: original frames as PNG, compressed frames as JPEG', async () => {
    for (const frame of [0, 1, 24, 33, 59]) {
      const original = await read(`tasks/${task.id}`, `type=frame&number=${frame}&quality=original`)
      expect(original.headers.get('content-type')).toBe('image/png')
      expect(await readNumber(original.bytes)).toBe(frame)
      const compressed = await read(`tasks/${task.id}`, `type=frame&number=${frame}`)
      expect((await sharp(compressed.bytes).metadata()).format).toBe('jpeg')
      expect(await readNumber(compressed.bytes)).toBe(frame)
    }
  })

  test('frames are served in chunks of tasks and jobs', async () => {
    const first = await read(`tasks/${task.id}`, 'type=chunk&number=0')
    expect(await numbersOf(first.bytes)).toEqual(range(0, 36))
    const last = await read(`tasks/${task.id}`, 'type=chunk&number=1&quality=original')
    expect(await numbersOf(last.bytes)).toEqual(range(36, 60))
    const [, job] = await jobsOf(api, task.id)
    const ofJob = await read(`jobs/${job?.id}`, 'type=chunk&index=0')
    expect(await numbersOf(ofJob.bytes)).toEqual(range(20, 45))
  })

  test('frames appear in the preview and in an export', async () => {
    const preview = await api.bytes(`/tasks/${task.id}/preview`)
    expect((await sharp(preview.bytes).metadata()).width).toBe(256)
    const query = 'format=COCO%201.0&save_images=true'
    const started = await api.done('POST', `/tasks/${task.id}/dataset/export?${query}`)
    const { result_url } = await api.finished(started)
    const archive = await api.bytes(result_url)
    const members = await unzip(archive.bytes)
    const image = members.get('images/default/frame_000041.PNG')
    expect(image && (await readNumber(image))).toBe(41)
  })
})
