import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnnotationSets, annotationSets } from '../../support/annotations.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { type Listener, startListener } from '../../support/listener.ts'
import {
  createPayloadCheck,
  type PayloadCheck,
  type RecordEvent,
  senderOf,
} from '../../support/payload-check.ts'
import { createUserFactory } from '../../support/people.ts'
import { annotationFile, datasetFile } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/**
 * Events of annotations and requests: updates of jobs and their task with the number of changed objects, and requests
 * as GET returns them. See docs/spec/webhooks.md#payloads.
 */

const { newOrganization } = createUserFactory(() => reticle)
let reticle: ServerUnderTest
let listener: Listener
let api: ApiClient
let checkPayloads: PayloadCheck
let project: AnyJson
let task: AnyJson
let jobs: AnyJson[]
let label: number
let ofFirst: AnnotationSets
let ofTask: AnnotationSets
const names = ['organization', 'project']

beforeAll(async () => {
  listener = await startListener()
  reticle = await shareReticle()
  const acme = await newOrganization()
  api = acme.owner.api
  checkPayloads = createPayloadCheck({ listener, api, sender: await senderOf(api, acme.owner.id) })
  await listener.ofOrganization(api, 'organization', acme)
  const json = { name: 'streets', labels: [{ name: 'car' }] }
  project = await api.done('POST', `/projects?org=${acme.slug}`, { json })
  label = project.labels[0].id
  await listener.take('organization', 1)
  await listener.ofProject(api, 'project', project.id)
  task = await taskWithMedia(api, { project_id: project.id, segment_size: 2 })
  jobs = await jobsOf(api, task.id)
  ofFirst = annotationSets(api, `/jobs/${jobs[0].id}/annotations/`)
  ofTask = annotationSets(api, `/tasks/${task.id}/annotations/`)
  const facts = ['create:task', 'update:task', 'create:job', 'create:job', 'completed:request']
  for (const name of names) await listener.take(name, facts.length)
}, 60_000)
afterAll(async () => {
  await listener.close()
})

/** Expected facts: `update:task`, and `update:job` of the first jobs. */
const changed = (count = 1): RecordEvent[] => [
  ['update:task', `/tasks/${task.id}`],
  ...jobs.slice(0, count).map(({ id }): RecordEvent => ['update:job', `/jobs/${id}`]),
]
const box = (frame = 0, more: AnyJson = {}) => ({ ...rectangle(label, frame), ...more })
const tag = (frame = 0) => ({ label_id: label, frame })
const set = (given: AnyJson) => ({ tags: [], shapes: [], tracks: [], ...given })
const idsIn = ({ tags, shapes, tracks }: AnyJson) => {
  const ids = (objects: AnyJson[]) => objects.map(({ id }) => id)
  return { tags: ids(tags), shapes: ids(shapes), tracks: ids(tracks) }
}
const counts = (tags: number, shapes: number, tracks = 0) => ({ tags, shapes, tracks })

/** Contents of `annotations` in the payloads of the task and of each job, by id. */
function annotationsIn(payloads: AnyJson[]): { task: AnyJson; jobs: Record<number, AnyJson> } {
  const updates = payloads.filter(({ job }) => job)
  return {
    task: payloads.find((one) => one.task)?.annotations,
    jobs: Object.fromEntries(updates.map(({ job, annotations }) => [job.id, annotations])),
  }
}
const first = () => jobs[0].id
const second = () => jobs[1].id
const revision = expect.any(Number)

describe('payloads about annotations', () => {
  test('created annotations start the job, and their ids are listed', async () => {
    const { answer, payloads } = await checkPayloads({ names, facts: changed() }, () =>
      ofFirst.patch('create', set({ shapes: [box(), box(1)], tags: [tag()] })),
    )
    const contents = annotationsIn(payloads)
    const what = { action: 'create', ...counts(1, 2), ids: idsIn(answer.body) }
    expect(contents).toEqual({ task: what, jobs: { [first()]: { ...what, revision } } })
    const { before_update } = payloads.find(({ job }) => job)
    expect(Object.keys(before_update).sort()).toEqual(['state', 'updated_date'])
  })

  test('updated and deleted annotations are listed by id', async () => {
    const { shapes } = await ofFirst.read()
    const [one] = shapes
    const moved = { ...one, points: [5, 6, 7, 8] }
    for (const [action, objects] of [
      ['update', { shapes: [moved] }],
      ['delete', { shapes: [moved] }],
    ] as const) {
      const { payloads } = await checkPayloads({ names, facts: changed() }, () =>
        ofFirst.patch(action, set(objects)),
      )
      const ids = { tags: [], shapes: [one.id], tracks: [] }
      const what = { action, ...counts(0, 1), ids }
      expect(annotationsIn(payloads)).toEqual({
        task: what,
        jobs: { [first()]: { ...what, revision } },
      })
    }
  })

  test('a write to a task reports each of its jobs, and the sum for the task', async () => {
    const { payloads } = await checkPayloads({ names, facts: changed(2) }, () =>
      ofTask.patch('create', set({ shapes: [box(), box(2), box(3)] })),
    )
    const contents = annotationsIn(payloads)
    expect(contents.task).toMatchObject({ action: 'create', ...counts(0, 3) })
    expect(contents.task.ids.shapes).toHaveLength(3)
    expect(contents.jobs[first()]).toMatchObject({
      ...counts(0, 1),
      ids: { shapes: [expect.any(Number)] },
    })
    expect(contents.jobs[second()]).toMatchObject(counts(0, 2))
  })

  test('replaced and cleared annotations are reported as such', async () => {
    const replaced = await checkPayloads({ names, facts: changed() }, () =>
      ofFirst.put(set({ shapes: [box()] })),
    )
    expect(annotationsIn(replaced.payloads).task.action).toBe('replace')
    const cleared = await checkPayloads({ names, facts: changed() }, () => ofFirst.clear())
    expect(annotationsIn(cleared.payloads).task).toMatchObject({
      action: 'delete',
      ...counts(0, 1),
    })
  })

  test.each([
    [100, true],
    [101, false],
  ])('for %i objects the payload lists their ids: %s', async (count, isNamed) => {
    const shapes = Array.from({ length: count }, () => box())
    const { payloads } = await checkPayloads({ names, facts: changed() }, () =>
      ofFirst.patch('create', set({ shapes })),
    )
    const contents = annotationsIn(payloads)
    for (const one of [contents.task, contents.jobs[first()]]) {
      expect(one).toMatchObject({ action: 'create', ...counts(0, count) })
      expect([one.ids?.shapes.length, 'ids' in one]).toEqual([isNamed ? count : undefined, isNamed])
    }
  })

  test('a task with more than 100 objects lists no ids, even if each job has fewer', async () => {
    const shapes = Array.from({ length: 120 }, (_, at) => box(at % 2 === 0 ? 0 : 2))
    const { payloads } = await checkPayloads({ names, facts: changed(2) }, () =>
      ofTask.patch('create', set({ shapes })),
    )
    const contents = annotationsIn(payloads)
    expect(contents).toEqual({
      task: { action: 'create', ...counts(0, 120) },
      jobs: {
        [first()]: { action: 'create', ...counts(0, 60), revision },
        [second()]: { action: 'create', ...counts(0, 60), revision },
      },
    })
  })

  test('a write without objects sends no event', async () => {
    expect((await ofFirst.patch('create', set({}))).status).toBe(200)
    expect((await ofTask.patch('delete', set({}))).status).toBe(200)
    await checkPayloads({ names, facts: [changed()[0] as RecordEvent] }, () =>
      api.done('PATCH', `/tasks/${task.id}`, { json: { name: 'fence' } }),
    )
  })
})

describe('payloads about requests', () => {
  const format = 'format=COCO%201.0'
  const start = async (method: string, url: string, form?: FormData) =>
    api.ended((await api.done(method, url, form && { form })).rq_id)
  const completed = (type: string): RecordEvent => [
    `completed:request[${type}]`,
    ({ id }) => `/requests/${encodeURIComponent(id)}`,
  ]
  const ends = async (type: string, facts: RecordEvent[], run: () => Promise<AnyJson>) => {
    const expected = { names, facts: [...facts, completed(type)] }
    const { answer, payloads } = await checkPayloads(expected, run)
    expect(answer.operation.type).toBe(type)
    return { answer, payloads }
  }
  let archive: Buffer

  test.each([
    ['export:annotations', `dataset/export?${format}`],
    ['export:dataset', `dataset/export?${format}&save_images=true`],
    ['export:backup', 'backup/export'],
  ])('%s sends an event when it ends', async (type, query) => {
    const { answer } = await ends(type, [], () => start('POST', `/tasks/${task.id}/${query}`))
    expect(answer).toMatchObject({ status: 'finished', progress: 1 })
    if (type === 'export:annotations') archive = (await api.bytes(answer.result_url)).bytes
  })

  test('import:annotations sends an event for the request and events for its changes', async () => {
    const { payloads } = await ends('import:annotations', changed(2), () =>
      start('POST', `/tasks/${task.id}/annotations/?${format}`, annotationFile(archive, 'a.zip')),
    )
    expect(annotationsIn(payloads).task).toMatchObject({ action: 'import' })
  })

  test('a failed request sends an event too', async () => {
    const broken = annotationFile('no archive', 'a.zip')
    const { answer } = await ends('import:annotations', [], () =>
      start('POST', `/tasks/${task.id}/annotations/?${format}`, broken),
    )
    expect(answer).toMatchObject({ status: 'failed', message: expect.stringMatching(/./) })
  })

  test('import:dataset sends an event for the request and events for the created tasks', async () => {
    const whole = await ends('export:dataset', [], () =>
      start('POST', `/projects/${project.id}/dataset/export?${format}&save_images=true`),
    )
    const { bytes } = await api.bytes(whole.answer.result_url)
    const newest = async () =>
      (await api.done('GET', `/tasks?project_id=${project.id}&sort=-id`)).results[0]
    const taskMade = async () => `/tasks/${(await newest()).id}`
    const jobMade = async () => `/jobs/${(await jobsOf(api, (await newest()).id))[0]?.id}`
    await ends(
      'import:dataset',
      [
        ['create:task', taskMade],
        ['create:job', jobMade],
      ],
      () => start('POST', `/projects/${project.id}/dataset/?${format}`, datasetFile(bytes)),
    )
  })
})
