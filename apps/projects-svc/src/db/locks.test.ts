import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { attachFrames, testWorkspace } from '../testing/workspace.ts'

const { db, addUser, over, takeEvents } = await testWorkspace()

test('concurrent changes at all levels wait for each other without a deadlock', async () => {
  const services = over('in-process')
  const { projects, labels, tasks, jobs } = services
  const anna = await addUser()
  const items = [{ name: 'car' }]
  const project = await projects.createProject({ body: { name: 'p', labels: items } }, anna.call)
  const other = await projects.createProject({ body: { name: 'q', labels: items } }, anna.call)
  const addTask = async () => {
    const body = { name: 't', project_id: project.id, segment_size: 1 }
    const { id } = await tasks.createTask({ body }, anna.call)
    await attachFrames(services, id, 3, anna)
    return id
  }
  const ids = [await addTask(), await addTask(), await addTask()]
  const all = (await jobs.listJobs({ project_id: project.id }, anna.call)).results
  await takeEvents()

  const round = async (turn: number) => {
    const [first = 0, second = 0] = ids
    const job = all[turn % all.length]
    const target = [project.id, other.id][turn % 2] ?? 0
    const counts = { revision: turn, tags: 0, shapes: 1, tracks: 0, is_annotated: true }
    const change = {
      task_id: job?.task_id ?? 0,
      action: 'create' as const,
      jobs: [{ job_id: job?.id ?? 0, ...counts }],
    }
    await Promise.all([
      projects.updateProject({ id: project.id, body: { name: `p${turn}` } }, anna.call),
      labels.updateLabel(
        { id: project.labels[0]?.id ?? 0, body: { color: `#0000${10 + turn}` } },
        anna.call,
      ),
      tasks.updateTask({ id: first, body: { project_id: target } }, anna.call),
      tasks.updateTask({ id: second, body: { name: `t${turn}` } }, anna.call),
      jobs.updateJob({ id: job?.id ?? 0, body: { state: 'rejected' } }, anna.call),
      tasks.annotationsChanged({ body: { event_id: randomUUID(), change } }, anna.call),
    ])
  }
  for (let turn = 0; turn < 12; turn++) await round(turn)

  await Promise.all([
    projects.deleteProject({ id: project.id }, anna.call),
    projects.deleteProject({ id: other.id }, anna.call),
    ...all.map((job) =>
      jobs.updateJob({ id: job.id, body: { state: 'new' } }, anna.call).catch(({ kind }) => {
        expect(kind).toBe('not_found')
      }),
    ),
  ])
  for (const id of ids)
    await expect(tasks.getTask({ id }, anna.call)).rejects.toMatchObject({ kind: 'not_found' })
})

test('many changes of one row leave connections for changes of other rows', async () => {
  const { projects } = over('in-process')
  const anna = await addUser()
  const held = await projects.createProject({ body: { name: 'held' } }, anna.call)
  const free = await projects.createProject({ body: { name: 'free' } }, anna.call)
  const lock = db.transaction().execute(async (tx) => {
    await sql`select from projects where id = ${held.id} for update`.execute(tx)
    const changes = Array.from({ length: 20 }, (_, at) =>
      projects.updateProject({ id: held.id, body: { name: `n${at}` } }, anna.call),
    )
    const body = { name: 'changed meanwhile' }
    expect(await projects.updateProject({ id: free.id, body }, anna.call)).toMatchObject(body)
    return { changes }
  })
  const { changes } = await lock
  const names = (await Promise.all(changes)).map(({ name }) => name)
  expect(names).toEqual(Array.from({ length: 20 }, (_, at) => `n${at}`))
})
