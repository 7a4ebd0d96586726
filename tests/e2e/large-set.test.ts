import { beforeAll, expect, test } from 'vitest'
import type { AnyJson } from '../support/client.ts'
import { rectangle, taskWithMedia } from '../support/factories.ts'
import { createImages } from '../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../support/reticle.ts'

let reticle: ServerUnderTest
let task: AnyJson
let label_id: number
beforeAll(async () => {
  reticle = await shareReticle()
  task = await taskWithMedia(reticle.admin, { files: await createImages(20), segment_size: 5 })
  label_id = task.labels[0].id
})

const put = (json: AnyJson) => reticle.admin.call('PUT', `/tasks/${task.id}/annotations/`, { json })
const get = () => reticle.admin.done('GET', `/tasks/${task.id}/annotations/`)

test('100,000 shapes are read back bit-exact from the task and from its jobs', async () => {
  const awkward = [0.1, 1 / 3, 5e-324, 12_345.678_901_234_567, -0.000_001, 9_990_000.999]
  const number = (index: number) => (awkward[index % awkward.length] ?? 0) + (index % 997)
  const shapes = Array.from({ length: 100_000 }, (_, index) =>
    rectangle(label_id, index % 20, [
      number(index),
      number(index + 1),
      number(index + 2),
      number(index + 3),
    ]),
  )
  const stored = await put({ shapes })
  expect(stored.status).toBe(200)
  expect(stored.body.shapes.length).toBe(100_000)

  const read = await get()
  const points = (set: AnyJson[]) => set.map((shape) => shape.points)
  const byFrame = [...shapes].sort((a, b) => a.frame - b.frame)
  expect(points(read.shapes)).toEqual(points(byFrame))

  const { results } = await reticle.admin.done('GET', `/jobs?task_id=${task.id}&sort=id`)
  const counts = await Promise.all(
    results.map(
      async ({ id }: AnyJson) =>
        (await reticle.admin.done('GET', `/jobs/${id}/annotations/`)).shapes.length,
    ),
  )
  expect(counts).toEqual([25_000, 25_000, 25_000, 25_000])
})

test('an invalid object in a large set is refused by its position, and the old set stays', async () => {
  await put({ shapes: [rectangle(label_id)] })
  const before = await get()
  const good = rectangle(label_id)
  const cases: [AnyJson, string, RegExp][] = [
    [{ shapes: [good, rectangle(999_999)] }, 'label_invalid', /999999/],
    [{ shapes: [good, rectangle(label_id, 20)] }, 'frame_out_of_range', /\{\},\{"frame"/],
    [{ shapes: [{ ...good, points: [1, 2, 3] }] }, 'points_invalid', /rectangle/],
    [{ shapes: [{ ...good, source: 'robot' }] }, 'source_invalid', /manual/],
  ]
  for (const [json, code, text] of cases) {
    const answer = await put(json)
    expect([answer.status, answer.headers.get('x-error-code')], answer.text).toEqual([400, code])
    expect(answer.text).toMatch(text)
  }
  const cut = await reticle.admin.call('PUT', `/tasks/${task.id}/annotations/`, {
    raw: JSON.stringify({ shapes: [good, good] }).slice(0, -20),
  })
  expect([cut.status, cut.headers.get('x-error-code')]).toEqual([400, 'parse_error'])
  expect(cut.body.detail).toMatch(/JSON parse error/)
  expect(await get()).toEqual(before)
})

test('an outdated entity tag stops the second of two writers', async () => {
  const { headers } = await put({ shapes: [rectangle(label_id)] })
  const etag = String(headers.get('etag'))
  const url = `/tasks/${task.id}/annotations/`
  const same = await reticle.admin.call('GET', url, { headers: { 'if-none-match': etag } })
  expect(same.status).toBe(304)
  await put({ shapes: [] })
  const late = await reticle.admin.call('PUT', url, {
    json: { shapes: [] },
    headers: { 'if-match': etag },
  })
  expect([late.status, late.body.code]).toEqual([412, 'annotations_changed'])
})

test('a job keeps tags, tracks and every type of shape written to it', async () => {
  const { results } = await reticle.admin.done('GET', `/jobs?task_id=${task.id}&sort=id`)
  const [job] = results
  const url = `/jobs/${job.id}/annotations/`
  const shape = (type: string, points: number[]) => ({ type, frame: 1, label_id, points })
  const json = {
    tags: [{ frame: 0, label_id }],
    shapes: [
      shape('rectangle', [0, 0, 4, 4]),
      shape('polygon', [0, 0, 4, 0, 4, 4]),
      shape('polyline', [0, 0, 4, 4]),
      shape('points', [1, 1]),
      shape('ellipse', [5, 5, 2, 3]),
      shape('cuboid', [0, 0, 0, 4, 4, 0, 4, 4, 5, 0, 5, 4, 1, 0, 1, 4]),
      shape('mask', [0, 4, 0, 0, 1, 1]),
    ],
    tracks: [
      {
        frame: 0,
        label_id,
        shapes: [
          { type: 'rectangle', frame: 0, points: [0, 0, 4, 4] },
          { type: 'rectangle', frame: 3, points: [2, 0, 6, 4], outside: true },
        ],
      },
    ],
  }
  await reticle.admin.done('PUT', url, { json })
  const stored = await reticle.admin.done('GET', url)
  expect(stored).toMatchObject(json)
  await reticle.admin.done('PATCH', `${url}?action=delete`, {
    json: { tracks: [{ id: stored.tracks[0].id }] },
  })
  const left = await reticle.admin.done('GET', url)
  expect([left.tags.length, left.shapes.length, left.tracks.length]).toEqual([1, 7, 0])
  expect((await reticle.admin.call('DELETE', url)).status).toBe(204)
  expect(await reticle.admin.done('GET', url)).toEqual({
    version: 0,
    tags: [],
    shapes: [],
    tracks: [],
  })
})
