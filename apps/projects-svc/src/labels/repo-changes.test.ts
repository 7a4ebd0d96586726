import { labelsChanged } from '@reticle/contracts/events/labels'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { attachFrames, testWorkspace } from '../testing/workspace.ts'
import { deleteOldLabelChanges } from './repo-changes.ts'

/** Label events that annotations-svc has to handle before it reads annotations of a target. */

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

  /** Returns the label events emitted since the last call. */
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

  describe('a change of labels that removes data of annotations', () => {
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

    test.each(losses)('is listed for its task and jobs: %s is deleted', async (_, itemOf) => {
      const task = await addTask()
      await tasks.updateTask({ id: task.id, body: { labels: [itemOf(task)] } }, anna.call)
      const [event] = await takeLabelEvents()
      expect(await eventsOf('task', task.id)).toEqual([event?.id])
      const { results } = await jobs.listJobs({ task_id: task.id }, anna.call)
      expect(await eventsOf('job', results[0]?.id ?? 0)).toEqual([event?.id])
    })

    test('is listed for all tasks of its project when a label is deleted', async () => {
      const project = await addProject()
      const given = { project_id: project.id }
      const [one, other, stranger] = [await addTask(given), await addTask(given), await addTask()]
      await labels.deleteLabel({ id: project.labels[0]?.id ?? 0 }, anna.call)
      const [event] = await takeLabelEvents()
      expect(await eventsOf('project', project.id)).toEqual([event?.id])
      for (const { id } of [one, other]) expect(await eventsOf('task', id)).toEqual([event?.id])
      expect(await eventsOf('task', stranger.id)).toEqual([])
    })

    test('is listed for the task and the project when a task moves into a project', async () => {
      const [project, task] = [await addProject(), await addTask()]
      const neighbour = await addTask({ project_id: project.id })
      await tasks.updateTask({ id: task.id, body: { project_id: project.id } }, anna.call)
      const [event] = await takeLabelEvents()
      expect(await eventsOf('task', task.id)).toEqual([event?.id])
      expect(await eventsOf('project', project.id)).toEqual([event?.id])
      expect(await eventsOf('task', neighbour.id)).toEqual([])
    })

    test('replaces an earlier event with the same key', async () => {
      const task = await addTask()
      for (const { id } of task.labels)
        await tasks.updateTask(
          { id: task.id, body: { labels: [{ id, deleted: true }] } },
          anna.call,
        )
      const [, last] = await takeLabelEvents()
      expect(await eventsOf('task', task.id)).toEqual([last?.id])
    })

    test('is listed for a day', async () => {
      const task = await addTask()
      const body = { labels: [{ id: task.labels[0]?.id, deleted: true }] }
      await tasks.updateTask({ id: task.id, body }, anna.call)
      await deleteOldLabelChanges(db, new Date(Date.now() + day - 60_000))
      expect(await eventsOf('task', task.id)).toHaveLength(1)
      await deleteOldLabelChanges(db, new Date(Date.now() + day + 60_000))
      expect(await eventsOf('task', task.id)).toEqual([])
    })
  })

  test('a change of labels that removes no annotation data is not listed', async () => {
    const task = await addTask()
    const body = { labels: [{ id: task.labels[0]?.id, name: 'lorry' }, { name: 'bus' }] }
    await tasks.updateTask({ id: task.id, body }, anna.call)
    expect(await takeLabelEvents()).toHaveLength(1)
    expect(await eventsOf('task', task.id)).toEqual([])
  })

  describe('a label event follows', () => {
    test('the move of a task when its new project deletes a label', async () => {
      const [project, task] = [await addProject(), await addTask()]
      await tasks.updateTask({ id: task.id, body: { project_id: project.id } }, anna.call)
      await labels.deleteLabel({ id: project.labels[0]?.id ?? 0 }, anna.call)
      const [moved, deleted] = await takeLabelEvents()
      expect(moved?.data.follows).toEqual([])
      expect(deleted?.data.follows).toEqual([moved?.id])
    })

    test('the deletion in a project when one of its tasks moves to another', async () => {
      const [project, next] = [await addProject(), await addProject()]
      const task = await addTask({ project_id: project.id })
      await labels.deleteLabel({ id: project.labels[0]?.id ?? 0 }, anna.call)
      await tasks.updateTask({ id: task.id, body: { project_id: next.id } }, anna.call)
      const [deleted, moved] = await takeLabelEvents()
      expect([deleted?.data.follows, moved?.data.follows]).toEqual([[], [deleted?.id]])
    })

    test('no events of tasks outside the project', async () => {
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
