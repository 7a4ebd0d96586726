import { randomUUID } from 'node:crypto'
import { type AnnotationsChange, annotationsChanged } from '@reticle/contracts/events/annotations'
import { taskUpdated } from '@reticle/contracts/events/tasks'
import { createDeliverer } from '@reticle/kit/testing/events'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { eventHandler } from './consumer.ts'
import { attachFrames, testWorkspace } from './testing/workspace.ts'

/** Effects of a write of annotations on jobs, tasks and projects. */

const { db, addUser, over, takeEvents } = await testWorkspace()
const anna = await addUser()
const receive = createDeliverer(db, eventHandler({ autoInProgress: true }))

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { projects, tasks, jobs } = services

  async function addJobs(count = 2) {
    const project = await projects.createProject({ body: { name: 'p' } }, anna.call)
    const body = { name: 't', segment_size: 1, project_id: project.id }
    const { id: task_id } = await tasks.createTask({ body }, anna.call)
    await attachFrames(services, task_id, count, anna)
    await takeEvents()
    const { results } = await jobs.listJobs({ task_id, sort: 'id' }, anna.call)
    return { project, task_id, jobs: results }
  }

  const jobChange = (job_id: number, given: Partial<AnnotationsChange['jobs'][number]> = {}) => ({
    job_id,
    revision: 1,
    tags: 0,
    shapes: 1,
    tracks: 0,
    is_annotated: true,
    ...given,
  })
  /** Does what a save does: the call first, then the event. */
  const save = async (change: AnnotationsChange) => {
    const id = randomUUID()
    await tasks.annotationsChanged({ body: { event_id: id, change } }, anna.call)
    await receive(annotationsChanged, change, { id })
  }
  const stateOf = async (id = 0) => (await jobs.getJob({ id }, anna.call)).state

  test('the first annotation moves the job to "in progress"; job and task emit updates', async () => {
    const { task_id, jobs: made } = await addJobs()
    const [first, second] = made
    const task = await tasks.getTask({ id: task_id }, anna.call)
    const ids = { tags: [], shapes: [5], tracks: [] }
    const change = jobChange(first?.id ?? 0, { revision: 3, ids })
    await save({ task_id, action: 'create', jobs: [change] })

    const [job, moved] = [
      await jobs.getJob({ id: first?.id ?? 0 }, anna.call),
      await tasks.getTask({ id: task_id }, anna.call),
    ]
    expect(job).toEqual({ ...first, state: 'in progress', updated_date: job.updated_date })
    expect(job.updated_date > (first?.updated_date ?? '')).toBe(true)
    expect(moved.updated_date > task.updated_date).toBe(true)
    expect(await jobs.getJob({ id: second?.id ?? 0 }, anna.call)).toEqual(second)
    const counts = { action: 'create', tags: 0, shapes: 1, tracks: 0, ids }
    expect((await takeEvents()).map(({ type, data }) => [type, data])).toEqual([
      [
        'update:job',
        {
          job,
          before_update: { state: 'new', updated_date: first?.updated_date },
          annotations: { ...counts, revision: 3 },
        },
      ],
      [
        'update:task',
        { task: moved, before_update: { updated_date: task.updated_date }, annotations: counts },
      ],
    ])
  })

  test('counts of several jobs are added up for the task, and long id lists are left out', async () => {
    const { task_id, jobs: made } = await addJobs()
    const ids = { tags: [], shapes: [], tracks: [] }
    const changes = made.map(({ id }, index) =>
      jobChange(id, { tags: 1 + index, shapes: 60, tracks: 2, ids }),
    )
    await save({ task_id, action: 'import', jobs: changes })
    const events = await takeEvents()
    expect(events.map((event) => event.type)).toEqual(['update:job', 'update:job', 'update:task'])
    expect(events[2]?.data).toHaveProperty('annotations', {
      action: 'import',
      tags: 3,
      shapes: 120,
      tracks: 4,
    })
  })

  test.each([
    ['a deletion', 'delete', true, 'new'],
    ['a write that leaves nothing', 'replace', false, 'new'],
    ['a replacement', 'replace', true, 'in progress'],
    ['an import', 'import', true, 'in progress'],
  ] as const)('%s leaves a new job %s', async (_, action, is_annotated, state) => {
    const { task_id, jobs: made } = await addJobs(1)
    const id = made[0]?.id ?? 0
    await save({ task_id, action, jobs: [jobChange(id, { is_annotated })] })
    expect(await stateOf(id)).toBe(state)
  })

  test.each(['completed', 'rejected'] as const)('a %s job keeps its state', async (state) => {
    const { task_id, jobs: made } = await addJobs(1)
    const id = made[0]?.id ?? 0
    await jobs.updateJob({ id, body: { state } }, anna.call)
    await save({ task_id, action: 'create', jobs: [jobChange(id)] })
    expect(await stateOf(id)).toBe(state)
  })

  test('a write without effect, or to a missing task or job, changes nothing', async () => {
    const { task_id, jobs: made } = await addJobs(1)
    const id = made[0]?.id ?? 0
    await save({ task_id, action: 'create', jobs: [jobChange(id, { shapes: 0 })] })
    await save({ task_id: 999_999, action: 'create', jobs: [jobChange(id)] })
    await save({ task_id, action: 'create', jobs: [jobChange(999_999)] })
    expect(await takeEvents()).toEqual([])
    expect(await stateOf(id)).toBe('new')
  })

  test('the events of a change name the user and the request of the save', async () => {
    const { task_id, jobs: made } = await addJobs(1)
    const change = { task_id, action: 'create' as const, jobs: [jobChange(made[0]?.id ?? 0)] }
    const actor = { id: 3, username: 'anna', first_name: '', last_name: '', email: '' }
    await receive(annotationsChanged, change, { request_id: 'of the save', actor })
    const events = await takeEvents()
    expect(events).toHaveLength(2)
    expect(events[0]?.headers).toMatchObject({ 'request-id': 'of the save' })
    expect(JSON.parse(String(Reflect.get(Object(events[0]?.headers), 'actor')))).toEqual(actor)
  })

  test('the date of a project follows its tasks and never moves back', async () => {
    const { project, task_id } = await addJobs(1)
    const task = await tasks.getTask({ id: task_id }, anna.call)
    const dateOf = async () =>
      (await projects.getProject({ id: project.id }, anna.call)).updated_date
    const at = (updated_date: string) =>
      receive(taskUpdated, { task: { ...task, updated_date }, before_update: {} })
    await at('2199-01-01T00:00:00.000Z')
    expect(await dateOf()).toBe('2199-01-01T00:00:00.000Z')
    await at('2198-01-01T00:00:00.000Z')
    expect(await dateOf()).toBe('2199-01-01T00:00:00.000Z')
  })
})

test('with autoInProgress off, annotations do not change the state of a job', async () => {
  const services = over('in-process')
  const { tasks, jobs } = services
  const { id: task_id } = await tasks.createTask({ body: { name: 't' } }, anna.call)
  await attachFrames(services, task_id, 1, anna)
  const job = (await jobs.listJobs({ task_id }, anna.call)).results[0]
  const counts = { revision: 1, tags: 0, shapes: 1, tracks: 0, is_annotated: true }
  const change = { ...counts, job_id: job?.id ?? 0 }
  const receiving = createDeliverer(db, eventHandler({ autoInProgress: false }))
  await receiving(annotationsChanged, { task_id, action: 'create', jobs: [change] })
  expect(await jobs.getJob({ id: job?.id ?? 0 }, anna.call)).toMatchObject({ state: 'new' })
})
