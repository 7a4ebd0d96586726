import { labelsChanged } from '@reticle/contracts/events/labels'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { attachFrames, testWorkspace } from '../testing/workspace.ts'
import { deleteOldLabelChanges } from './repo-changes.ts'

/** Which events annotations-svc has to handle before annotations of a target are read. */

const { db, addUser, over, takeEvents } = await testWorkspace()
const anna = await addUser()
const day = 86_400_000

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { projects, tasks, labels, media, jobs } = services
  const note = { name: 'note', mutable: false, input_type: 'text' as const, values: [] }
  const items = [
    { name: 'car', attributes: [note] },
    { name: 'person', type: 'skeleton' as const, sublabels: [{ name: 'head' }, { name: 'foot' }] },
  ]
  const addProject = () => projects.createProject({ body: { name: 'p', labels: items } }, anna.call)
  async function addTask(given: object = { labels: items }) {
    const task = await tasks.createTask({ body: { name: 't', ...given } }, anna.call)
    await attachFrames(services, task.id, 4, anna)
    await takeEvents()
    return task
  }

  /** Ids of the events of labels that were emitted since the last look. */
  async function takeLabelEvents() {
    const events = (await takeEvents()).filter((one) => one.type === labelsChanged.type)
    return events.map((one) => ({
      id: idOf(one.headers),
      data: labelsChanged.data.parse(one.data),
    }))
  }
  const eventsOf = async (target: 'project' | 'task' | 'job', id: number) => {
    const facts = await tasks.authorize({ target, id, action: 'view' }, anna.call)
    const extents = await media.listExtents({ target, id }, anna.call)
    expect(extents.label_events.toSorted()).toEqual(facts.label_events.toSorted())
    return facts.label_events
  }

  describe('a change of labels that annotations lose something by', () => {
    type Item = NonNullable<Parameters<typeof tasks.updateTask>[0]['body']['labels']>[number]
    type Task = Awaited<ReturnType<typeof addTask>>
    const losses: [string, (task: Task) => Item][] = [
      ['a label', ({ labels: [car] }) => ({ id: car?.id, deleted: true })],
      [
        'an attribute',
        ({ labels: [car] }) => ({
          id: car?.id,
          attributes: [{ ...note, id: car?.attributes[0]?.id, deleted: true }],
        }),
      ],
      [
        'a sublabel',
        ({ labels: [, person] }) => ({
          id: person?.id,
          sublabels: [{ id: person?.sublabels[0]?.id, deleted: true }],
        }),
      ],
    ]

    test.each(losses)('is named for its task and jobs: %s is deleted', async (_, itemOf) => {
      const task = await addTask()
      await tasks.updateTask({ id: task.id, body: { labels: [itemOf(task)] } }, anna.call)
      const [event] = await takeLabelEvents()
      expect(await eventsOf('task', task.id)).toEqual([event?.id])
      const { results } = await jobs.listJobs({ task_id: task.id }, anna.call)
      expect(await eventsOf('job', results[0]?.id ?? 0)).toEqual([event?.id])
    })

    test('is named for all tasks of its project: DELETE of a label', async () => {
      const project = await addProject()
      const given = { project_id: project.id }
      const [one, other, stranger] = [await addTask(given), await addTask(given), await addTask()]
      await labels.deleteLabel({ id: project.labels[0]?.id ?? 0 }, anna.call)
      const [event] = await takeLabelEvents()
      expect(await eventsOf('project', project.id)).toEqual([event?.id])
      for (const { id } of [one, other]) expect(await eventsOf('task', id)).toEqual([event?.id])
      expect(await eventsOf('task', stranger.id)).toEqual([])
    })

    test('is named where a task moves into a project, and for the project', async () => {
      const [project, task] = [await addProject(), await addTask()]
      const neighbour = await addTask({ project_id: project.id })
      await tasks.updateTask({ id: task.id, body: { project_id: project.id } }, anna.call)
      const [event] = await takeLabelEvents()
      expect(await eventsOf('task', task.id)).toEqual([event?.id])
      expect(await eventsOf('project', project.id)).toEqual([event?.id])
      expect(await eventsOf('task', neighbour.id)).toEqual([])
    })

    test('is named in place of the one before, whose key is the same', async () => {
      const task = await addTask()
      for (const { id } of task.labels)
        await tasks.updateTask(
          { id: task.id, body: { labels: [{ id, deleted: true }] } },
          anna.call,
        )
      const [, last] = await takeLabelEvents()
      expect(await eventsOf('task', task.id)).toEqual([last?.id])
    })

    test('is named for a day', async () => {
      const task = await addTask()
      const body = { labels: [{ id: task.labels[0]?.id, deleted: true }] }
      await tasks.updateTask({ id: task.id, body }, anna.call)
      await deleteOldLabelChanges(db, new Date(Date.now() + day - 60_000))
      expect(await eventsOf('task', task.id)).toHaveLength(1)
      await deleteOldLabelChanges(db, new Date(Date.now() + day + 60_000))
      expect(await eventsOf('task', task.id)).toEqual([])
    })
  })

  test('a change that annotations lose nothing by is not named', async () => {
    const task = await addTask()
    const body = { labels: [{ id: task.labels[0]?.id, name: 'lorry' }, { name: 'bus' }] }
    await tasks.updateTask({ id: task.id, body }, anna.call)
    expect(await takeLabelEvents()).toHaveLength(1)
    expect(await eventsOf('task', task.id)).toEqual([])
  })

  describe('an event follows', () => {
    test('the move of a task, where its new project deletes a label', async () => {
      const [project, task] = [await addProject(), await addTask()]
      await tasks.updateTask({ id: task.id, body: { project_id: project.id } }, anna.call)
      await labels.deleteLabel({ id: project.labels[0]?.id ?? 0 }, anna.call)
      const [moved, deleted] = await takeLabelEvents()
      expect(moved?.data.follows).toEqual([])
      expect(deleted?.data.follows).toEqual([moved?.id])
    })

    test('the deletion in a project, where one of its tasks moves to another', async () => {
      const [project, next] = [await addProject(), await addProject()]
      const task = await addTask({ project_id: project.id })
      await labels.deleteLabel({ id: project.labels[0]?.id ?? 0 }, anna.call)
      await tasks.updateTask({ id: task.id, body: { project_id: next.id } }, anna.call)
      const [deleted, moved] = await takeLabelEvents()
      expect([deleted?.data.follows, moved?.data.follows]).toEqual([[], [deleted?.id]])
    })

    test('no event of tasks that are elsewhere', async () => {
      const [project, task] = [await addProject(), await addTask()]
      const body = { labels: [{ id: task.labels[0]?.id, deleted: true }] }
      await tasks.updateTask({ id: task.id, body }, anna.call)
      await labels.deleteLabel({ id: project.labels[0]?.id ?? 0 }, anna.call)
      const events = await takeLabelEvents()
      expect(events.map((one) => one.data.follows)).toEqual([[], []])
    })
  })
})

function idOf(headers: unknown): string {
  return String(Reflect.get(Object(headers), 'event-id'))
}
