import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClipChapter } from '@reticle/kit/testing/video/chapters'
import { type Clip, writeClip } from '@reticle/kit/testing/video/clips'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { jobsOf } from '../../support/factories.ts'
import { createImages, formOf, type ImageFile } from '../../support/pictures.ts'
import { basic, type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Chapters of videos in `data/meta`, for the native and the CVAT-compatible mount. */

const folder = mkdtempSync(join(tmpdir(), 'reticle-chapters-'))
let reticle: ServerUnderTest
beforeAll(async () => {
  reticle = await shareReticle()
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
})

const mounts = [
  ['the API', '/api'],
  ['the dialect mount', '/as/cvat/api'],
] as const

/** Chapters of a video of 60 frames at 25 frames a second. */
const parts: readonly ClipChapter[] = [
  { start: 0, title: 'Opening' },
  { start: 0.4, title: 'Überweg 🚗' },
  { start: 1.6 },
]
const opening = { title: 'Opening' }
const crossing = { title: 'Überweg 🚗' }
const untitled = { title: '' }

function clip(name: string, given: Partial<Clip> = {}): ImageFile {
  const file = join(folder, name)
  writeClip(file, { frames: 60, options: { bf: '3' }, chapters: parts, ...given })
  return { name, bytes: readFileSync(file) }
}

describe.each(mounts)('chapters on %s', (_, mount) => {
  let api: ApiClient
  beforeAll(() => {
    api = createApiClient(`${reticle.url}${mount}`, basic)
  })

  async function attach(
    files: ImageFile[],
    fields: Record<string, string> = {},
    given: object = {},
  ) {
    const json = { name: 't', labels: [{ name: 'car' }], ...given }
    const { id } = await api.done('POST', '/tasks', { json })
    const data = { form: formOf(files, { image_quality: '70', ...fields }) }
    const started = await api.done('POST', `/tasks/${id}/data`, data)
    await api.finished(started)
    return { id, jobs: await jobsOf(api, id) }
  }
  const chaptersOf = async (of: string): Promise<AnyJson> =>
    (await api.done('GET', `/${of}/data/meta`)).chapters

  test.each<[string, Partial<Clip>]>([
    ['a.mp4', {}],
    ['b.mov', { hasSound: true }],
    ['c.mkv', {}],
    ['d.webm', { codec: 'vp9', options: { 'cpu-used': '8' } }],
  ])(
    'chapters of %s use frame numbers of the task, and are cut to each job',
    async (name, given) => {
      const { id, jobs } = await attach([clip(name, given)], {}, { segment_size: 25 })
      expect(await chaptersOf(`tasks/${id}`)).toEqual([
        { id: 0, start: 0, stop: 9, metadata: opening },
        { id: 1, start: 10, stop: 39, metadata: crossing },
        { id: 2, start: 40, stop: 59, metadata: untitled },
      ])
      const ofJobs = await Promise.all(jobs.map((job) => chaptersOf(`jobs/${job.id}`)))
      expect(ofJobs).toEqual([
        [
          { id: 0, start: 0, stop: 9, metadata: opening },
          { id: 1, start: 10, stop: 24, metadata: crossing },
        ],
        [
          { id: 1, start: 20, stop: 39, metadata: crossing },
          { id: 2, start: 40, stop: 44, metadata: untitled },
        ],
        [{ id: 2, start: 40, stop: 59, metadata: untitled }],
      ])
    },
  )

  test('chapters of a task with chosen frames count only these frames', async () => {
    const fields = { start_frame: '4', stop_frame: '50', frame_filter: 'step=7' }
    const { id } = await attach([clip('e.mkv')], fields)
    expect(await chaptersOf(`tasks/${id}`)).toEqual([
      { id: 0, start: 0, stop: 0, metadata: opening },
      { id: 1, start: 1, stop: 5, metadata: crossing },
      { id: 2, start: 6, stop: 6, metadata: untitled },
    ])
  })

  test('an empty chapter has one frame, chapters may overlap, and one beyond the end is left out', async () => {
    const chapters = [
      { start: 0, end: 2.4, title: 'all' },
      { start: 0.4, end: 0.4, title: 'mark' },
      { start: 2, end: 100, title: 'longer' },
      { start: 90, end: 100, title: 'beyond' },
    ]
    const { id } = await attach([clip('f.mkv', { chapters })])
    expect(await chaptersOf(`tasks/${id}`)).toEqual([
      { id: 0, start: 0, stop: 59, metadata: { title: 'all' } },
      { id: 1, start: 10, stop: 10, metadata: { title: 'mark' } },
      { id: 2, start: 50, stop: 59, metadata: { title: 'longer' } },
    ])
  })

  test('chapters are null for images, for a video without chapters and for a job without any', async () => {
    const plain = await attach([clip('g.mp4', { chapters: [] })])
    expect(await chaptersOf(`tasks/${plain.id}`)).toBe(null)
    expect(await chaptersOf(`jobs/${plain.jobs[0]?.id}`)).toBe(null)
    const chapters = [{ start: 0, end: 0.4, title: 'first' }]
    const first = await attach([clip('h.mkv', { chapters })], {}, { segment_size: 25 })
    expect(await chaptersOf(`jobs/${first.jobs[2]?.id}`)).toBe(null)
    const drawn = await attach(await createImages(2))
    expect(await chaptersOf(`tasks/${drawn.id}`)).toBe(null)
  })

  test('deleting frames does not change chapters', async () => {
    const { id } = await attach([clip('i.mp4')])
    const before = await chaptersOf(`tasks/${id}`)
    const json = { deleted_frames: [0, 1, 2] }
    const { chapters } = await api.done('PATCH', `/tasks/${id}/data/meta`, { json })
    expect(before).toHaveLength(3)
    expect(chapters).toEqual(before)
  })

  test('chapters beyond the allowed number are left out, and the report names the video', async () => {
    const chapters = Array.from({ length: 10_001 }, (_, place) => ({ start: place / 10_000 }))
    const json = { name: 't', labels: [{ name: 'car' }] }
    const { id } = await api.done('POST', '/tasks', { json })
    const form = formOf([clip('j.mkv', { chapters })], { image_quality: '70' })
    const { rq_id } = await api.done('POST', `/tasks/${id}/data`, { form })
    await api.finished({ rq_id })
    expect(await chaptersOf(`tasks/${id}`)).toHaveLength(10_000)
    const { report } = await reticle.admin.done('GET', `/requests/${encodeURIComponent(rq_id)}`)
    const examples = [{ file: 'j.mkv', item: '' }]
    expect(report.entries).toMatchObject([{ code: 'ignored-chapter', kind: 'skipped', examples }])
  })
})
