import { beforeAll, describe, expect, test } from 'vitest'
import type { AnyJson } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { createUserFactory, type RegisteredUser } from '../../support/people.ts'
import { annotationFile, createImages } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Imports of annotations, with modes, merging and dry runs. See docs/spec/requests.md#dry-runs-and-merges. */

let reticle: ServerUnderTest
let anna: RegisteredUser
const { newPerson } = createUserFactory(() => reticle)
beforeAll(async () => {
  reticle = await shareReticle()
  anna = await newPerson()
})

type Box = [x: number, y: number, width: number, height: number]

/** A COCO form with boxes on the first image. */
function cocoOf(file_name: string, boxes: readonly Box[], label = 'car'): FormData {
  const document = {
    images: [{ id: 1, file_name, width: 64, height: 48 }],
    categories: [{ id: 1, name: label }],
    annotations: boxes.map((bbox, at) => ({
      ...{ id: at + 1, image_id: 1, category_id: 1, iscrowd: 0, bbox, area: bbox[2] * bbox[3] },
    })),
  }
  return annotationFile(JSON.stringify(document), 'a.json')
}

/** Creates a task with one box, 1,2 to 30,40, on its first frame. */
async function newTask(): Promise<AnyJson> {
  const files = await createImages(2)
  const task = await taskWithMedia(anna.api, { files })
  const at = `/tasks/${task.id}`
  const json = { shapes: [rectangle(task.labels[0].id)] }
  await anna.api.done('PUT', `${at}/annotations/`, { json })
  return { at, name: files[0]?.name }
}

const start = (at: string, form: FormData, query = '') =>
  anna.api.call('POST', `${at}/annotations/?format=COCO%201.0${query}`, { form })
const ended = async (at: string, form: FormData, query = ''): Promise<AnyJson> =>
  anna.api.ended((await start(at, form, query)).body.rq_id)
const setOf = async (at: string) => anna.api.done('GET', `${at}/annotations/`)
const boxesOf = async (at: string) =>
  (await setOf(at)).shapes.map(({ points }: AnyJson) => points.join()).sort()

const there = '1,2,30,40'
const same: Box = [1, 2, 29, 38]
const nearly: Box = [1.004, 2.004, 28.996, 37.996]
const other: Box = [5, 6, 10, 10]

describe('importing annotations', () => {
  test('an import that fails keeps the existing annotations', async () => {
    const { at, name } = await newTask()
    const before = await setOf(at)
    const request = await ended(at, cocoOf(name, [other], 'unknown'))
    expect([request.status, request.message]).toEqual([
      'failed',
      expect.stringContaining('unknown'),
    ])
    expect(await setOf(at)).toEqual(before)
  })

  test('an import replaces the annotations, or adds to them in append mode', async () => {
    const { at, name } = await newTask()
    await ended(at, cocoOf(name, [other]), '&import_mode=append')
    expect(await boxesOf(at)).toEqual([there, '5,6,15,16'])
    await ended(at, cocoOf(name, [other]))
    expect(await boxesOf(at)).toEqual(['5,6,15,16'])
  })

  test('a second import into the same task is answered 409 with the id of the first', async () => {
    const { at, name } = await newTask()
    const many = Array.from({ length: 5000 }, (): Box => other)
    const answers = await Promise.all([1, 2].map(() => start(at, cocoOf(name, many))))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409])
    expect(answers[0]?.body.rq_id).toBe(answers[1]?.body.rq_id)
    await anna.api.finished(answers[0]?.body)
    expect((await boxesOf(at)).length).toBe(5000)
  })

  test('an unknown import mode is refused', async () => {
    const { at, name } = await newTask()
    const { status, body } = await start(at, cocoOf(name, [other]), '&import_mode=mix')
    expect([status, body]).toEqual([400, { import_mode: ['"mix" is not a valid choice.'] }])
  })
})

describe('merging', () => {
  test('a merge adds missing objects and counts those that already exist', async () => {
    const { at, name } = await newTask()
    const request = await ended(at, cocoOf(name, [same, nearly, other]), '&import_mode=merge')
    expect(await boxesOf(at)).toEqual([there, '5,6,15,16'])
    expect(request.report).toMatchObject({
      ...{ created: { tags: 0, shapes: 1, tracks: 0 }, skipped: 2 },
      entries: [{ kind: 'skipped', code: 'duplicate', count: 2 }],
    })
  })

  test('repeating a merge adds nothing', async () => {
    const { at, name } = await newTask()
    for (const _ of [1, 2]) await ended(at, cocoOf(name, [other]), '&import_mode=merge')
    expect(await boxesOf(at)).toEqual([there, '5,6,15,16'])
  })
})

describe('a dry run', () => {
  test('a dry run reports the same as the import and changes nothing', async () => {
    const { at, name } = await newTask()
    const before = await setOf(at)
    const tried = await ended(at, cocoOf(name, [other]), '&dry_run=true')
    expect([tried.status, tried.result_id]).toEqual(['finished', null])
    expect(tried.id).toMatch(/&options=[0-9a-f]{8}$/)
    expect(await setOf(at)).toEqual(before)
    const done = await ended(at, cocoOf(name, [other]))
    expect(tried.report).toEqual(done.report)
  })

  test('a dry run fails where the import would fail', async () => {
    const { at, name } = await newTask()
    const request = await ended(at, cocoOf(name, [other], 'unknown'), '&dry_run=true')
    expect([request.status, request.message]).toEqual([
      'failed',
      expect.stringContaining('unknown'),
    ])
  })

  test('a dry run can run beside an import of the same task', async () => {
    const { at, name } = await newTask()
    const both = await Promise.all(
      ['', '&dry_run=true'].map((query) => start(at, cocoOf(name, [other]), query)),
    )
    expect(both.map(({ status }) => status)).toEqual([202, 202])
    for (const { body } of both) await anna.api.finished(body)
    expect(await boxesOf(at)).toEqual(['5,6,15,16'])
  })
})

describe('imported masks', () => {
  /** On a frame of 64 x 48: two pixels at (1, 2) and (1, 3), and one at (5, 2). */
  const segmentation = { counts: [50, 2, 190, 1, 2829], size: [48, 64] }
  const file = JSON.stringify({
    images: [{ id: 1, file_name: 'frame-001.png' }],
    categories: [{ id: 1, name: 'car' }],
    annotations: [{ id: 1, image_id: 1, category_id: 1, segmentation }],
  })
  const importInto = async (url: string, query: string) => {
    const form = annotationFile(file, 'masks.json')
    const started = await anna.api.done('POST', `${url}?format=COCO%201.0${query}`, { form })
    const { report } = await anna.api.finished(started)
    const { shapes } = await anna.api.done('GET', url)
    return {
      report,
      shapes: shapes.map(({ type, group, points }: AnyJson) => [type, group, points]),
    }
  }

  test('masks become polygons on request: one per part, grouped, and counted by the report', async () => {
    const task = await taskWithMedia(anna.api)
    const [job] = await jobsOf(anna.api, task.id)
    for (const of of [`tasks/${task.id}`, `jobs/${job.id}`]) {
      const { shapes, report } = await importInto(`/${of}/annotations/`, '&conv_mask_to_poly=true')
      expect(shapes).toEqual([
        ['polygon', 1, [1, 2, 2, 2, 2, 4, 1, 4]],
        ['polygon', 1, [5, 2, 6, 2, 6, 3, 5, 3]],
      ])
      expect(report).toMatchObject({ created: { shapes: 2 }, converted: 1 })
      expect(report.entries).toMatchObject([
        { kind: 'converted', code: 'dropped-shape-type', reason: 'masks are read as polygons' },
      ])
    }
  })

  test('masks stay masks on request and by default in a format that stores masks', async () => {
    const { id } = await taskWithMedia(anna.api)
    // Run lengths of the box from (1, 2) to (5, 3).
    const mask = ['mask', 0, [0, 1, 3, 2, 4, 1, 2, 5, 3]]
    for (const query of ['&conv_mask_to_poly=false', '']) {
      const { shapes, report } = await importInto(`/tasks/${id}/annotations/`, query)
      expect(shapes).toEqual([mask])
      expect(report).toMatchObject({ created: { shapes: 1 }, converted: 0 })
    }
    const { importers } = await anna.api.done('GET', '/server/annotation/formats')
    const { options } = importers.find(({ name }: AnyJson) => name === 'COCO 1.0')
    expect(options).toEqual([{ name: 'conv_mask_to_poly', type: 'boolean', default: false }])
  })
})
