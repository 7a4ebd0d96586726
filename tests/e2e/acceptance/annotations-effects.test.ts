import { startReceiver, type TestReceiver } from '@reticle/kit/testing/receiver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Annotated,
  type AnnotationSets,
  annotatedProject,
  annotatedTask,
} from '../../support/annotations.ts'
import type { AnyJson } from '../../support/client.ts'
import { annotationFile } from '../../support/pictures.ts'
import { useTestServer } from '../../support/test-server.ts'

/**
 * Effects of a write beside the annotations: state of the job, dates and events. See
 * docs/spec/annotations.md#effects-of-a-write.
 */

const reticle = useTestServer()
let hook: TestReceiver
let project: AnyJson
beforeAll(async () => {
  hook = await startReceiver()
  project = await annotatedProject(reticle.admin)
  const events = 'update:job,update:task,update:project'
  const json = { type: 'project', project_id: project.id, target_url: `${hook.url}/hook`, events }
  await reticle.admin.done('POST', '/webhooks', { json })
})
afterAll(() => hook.close())

const fresh = () => annotatedTask(reticle.admin, { project_id: project.id })
const jobOf = ({ jobs }: Annotated, index = 0): Promise<AnyJson> =>
  reticle.admin.done('GET', `/jobs/${jobs[index].id}`)
const stateOf = async (world: Annotated, index = 0) => (await jobOf(world, index)).state
const move = (world: Annotated, state: string) =>
  reticle.admin.done('PATCH', `/jobs/${world.jobs[0].id}`, { json: { state } })
const taskOf = ({ task }: Annotated): Promise<AnyJson> =>
  reticle.admin.done('GET', `/tasks/${task.id}`)
const projectDate = async () =>
  (await reticle.admin.done('GET', `/projects/${project.id}`)).updated_date

/** Messages that the webhook received about a task and its jobs, without the event of the attached media. */
function messagesOf({ task }: Annotated): AnyJson[] {
  const bodies = hook.received.map(({ body }): AnyJson => JSON.parse(String(body)))
  const own = bodies.filter((body) => (body.task?.id ?? body.job?.task_id) === task.id)
  return own.filter(({ before_update }) => before_update.size === undefined)
}
/** Event, job id, and the state of the job before the event. */
const summaryOf = (world: Annotated) =>
  messagesOf(world)
    .map(({ event, job, before_update }) => [event, job?.id, before_update.state].join(' ').trim())
    .sort()
/** Waits until the webhook has received exactly the expected messages. */
const expectMessages = (world: Annotated, expected: string[]) =>
  expect.poll(() => summaryOf(world), { timeout: 60_000 }).toEqual([...expected].sort())

describe('state of a job', () => {
  test('the first object moves the job to in progress, visible to the next GET', async () => {
    const ways: [string, (sets: AnnotationSets, json: AnyJson) => Promise<{ status: number }>][] = [
      ['PUT', (sets, json) => sets.put(json)],
      ['create', (sets, json) => sets.patch('create', json)],
    ]
    for (const [name, write] of ways) {
      const world = await fresh()
      expect(await stateOf(world)).toBe('new')
      expect((await write(world.first, { shapes: [world.box()] })).status).toBe(200)
      expect(await stateOf(world), name).toBe('in progress')
      expect(await stateOf(world, 1), name).toBe('new')
    }
  })

  test('a write to a task moves only the jobs that received objects', async () => {
    const world = await fresh()
    await world.whole.put({ shapes: [world.box({ frame: 7 })] })
    expect([await stateOf(world), await stateOf(world, 1)]).toEqual(['new', 'in progress'])
    await world.whole.patch('create', { tags: [{ frame: 0, label_id: world.idOf('plain') }] })
    expect(await stateOf(world)).toBe('in progress')
  })

  test('an update and an import also move the job to in progress', async () => {
    const world = await fresh()
    const { shapes } = await world.first.write({ shapes: [world.box()] })
    await move(world, 'new')
    await world.first.patch('update', { shapes: [{ id: shapes[0].id, group: 1 }] })
    expect(await stateOf(world)).toBe('in progress')
    const other = await fresh()
    const coco = {
      images: [{ id: 1, file_name: 'frame-001.png', width: 64, height: 48 }],
      categories: [{ id: 1, name: 'plain' }],
      annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [1, 1, 10, 10] }],
    }
    const form = annotationFile(JSON.stringify(coco), 'instances.json')
    const url = `${other.first.url}?format=COCO%201.0`
    await reticle.admin.finished(await reticle.admin.done('POST', url, { form }))
    expect(await stateOf(other)).toBe('in progress')
  })

  test('the state stays new when the job remains empty or nothing was written', async () => {
    const world = await fresh()
    await world.first.put({})
    await world.first.patch('create', {})
    await world.first.put({ shapes: [world.box({ points: [1] })] })
    expect(await stateOf(world)).toBe('new')
    await world.first.write({ shapes: [world.box()] })
    await move(world, 'new')
    await world.first.put({})
    expect(await stateOf(world)).toBe('new')
  })

  test('a deletion never changes the state', async () => {
    const world = await fresh()
    const { shapes } = await world.first.write({ shapes: [world.box(), world.box()] })
    await move(world, 'new')
    await world.first.patch('delete', { shapes: shapes.slice(1) })
    expect(await stateOf(world)).toBe('new')
    await world.first.clear()
    expect(await stateOf(world)).toBe('new')
  })

  test.each(['completed', 'rejected'])('the state %s is kept by writes', async (state) => {
    const world = await fresh()
    await move(world, state)
    await world.first.put({ shapes: [world.box()] })
    await world.first.patch('create', { shapes: [world.box()] })
    expect(await stateOf(world)).toBe(state)
  })
})

describe('updated dates', () => {
  test('every write updates the dates of its job, task and project, but not of other ones', async () => {
    const world = await fresh()
    const { shapes } = await world.first.write({ shapes: [world.box()] })
    const writes = [
      () => world.first.patch('update', { shapes: [{ id: shapes[0].id, group: 1 }] }),
      () => world.first.patch('create', { shapes: [world.box()] }),
      () => world.first.patch('delete', { shapes }),
      () => world.first.put({ shapes: [world.box()] }),
      () => world.whole.patch('create', { shapes: [world.box()] }),
      () => world.first.clear(),
    ]
    for (const write of writes) {
      const datesOf = async () =>
        [await jobOf(world), await taskOf(world)].map((one) => one.updated_date)
      const [job = '', task = ''] = await datesOf()
      const [other, owner] = [await jobOf(world, 1), await projectDate()]
      expect((await write()).status).toBeLessThan(300)
      const [laterJob = '', laterTask = ''] = await datesOf()
      expect([laterJob > job, laterTask > task]).toEqual([true, true])
      await expect.poll(async () => (await projectDate()) > owner, { timeout: 60_000 }).toBe(true)
      expect(await jobOf(world, 1)).toEqual(other)
    }
  })

  test('dates stay unchanged when nothing was written', async () => {
    const world = await fresh()
    await world.first.write({ shapes: [world.box()] })
    const seen = async () => [await jobOf(world), await taskOf(world)]
    const before = await seen()
    await world.first.patch('create', {})
    await world.first.patch('delete', { shapes: [{ id: 999_999 }] })
    await world.first.patch('update', { shapes: [{ id: 999_999, group: 1 }] })
    await world.first.put({ shapes: [world.box(), world.box({ points: [1] })] })
    await world.first.put({ shapes: [] }, { headers: { 'if-match': '"old"' } })
    expect(await seen()).toEqual(before)
  })
})

describe('webhook events', () => {
  test('a write sends one event for the job, with its previous state, and one for the task', async () => {
    const world = await fresh()
    const [{ id }] = world.jobs
    await world.first.put({ shapes: [world.box()] })
    const first = [`update:job ${id} new`, 'update:task']
    await expectMessages(world, first)
    const { job, before_update } = messagesOf(world).find((one) => one.event === 'update:job')
    expect([job.state, before_update.state]).toEqual(['in progress', 'new'])
    await world.first.patch('create', { shapes: [world.box()] })
    await expectMessages(world, [...first, `update:job ${id}`, 'update:task'])
  })

  test('a write to a task sends an event for each job that changed', async () => {
    const world = await fresh()
    const [one, two] = world.jobs
    const shapes = [world.box(), world.box({ frame: 7 }), world.box({ frame: 8 })]
    await world.whole.put({ shapes })
    const first = [`update:job ${one.id} new`, `update:job ${two.id} new`, 'update:task']
    await expectMessages(world, first)
    const { annotations } = messagesOf(world).find(({ job }) => job?.id === two.id)
    expect(annotations).toMatchObject({ action: 'replace', shapes: 2, tags: 0, tracks: 0 })
    await world.whole.patch('create', { shapes: [world.box({ frame: 9 })] })
    await expectMessages(world, [...first, `update:job ${two.id}`, 'update:task'])
  })

  test('a write that was refused or had no effect sends no event', async () => {
    const world = await fresh()
    await world.whole.put({ shapes: [world.box(), world.box({ frame: 7, points: [1] })] })
    await world.first.patch('update', { shapes: [{ id: 999_999, group: 1 }] })
    await world.first.patch('delete', { shapes: [{ id: 999_999 }] })
    await world.first.patch('create', {})
    await world.second.put({})
    await world.second.clear()
    await world.first.put({ shapes: [world.box()] }) // events of one task arrive in order
    await expectMessages(world, [`update:job ${world.jobs[0].id} new`, 'update:task'])
  })

  test('a write sends no event for the project', () => {
    const events = hook.received.map(({ body }) => JSON.parse(String(body)).event)
    expect(new Set(events)).toEqual(new Set(['update:job', 'update:task']))
  })
})
