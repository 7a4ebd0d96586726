import { randomUUID } from 'node:crypto'
import { annotationsChanged } from '@reticle/contracts/events/annotations'
import { createDeliverer } from '@reticle/kit/testing/events'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { eventHandler } from '../consumer.ts'
import { attachFrames, testWorkspace } from '../testing/workspace.ts'
import { dropOldDrafts } from './rpc.ts'

/** The result of an import into a project becomes visible at once or never. */

const { db, addUser, over, takeEvents } = await testWorkspace()
const [anna, bo, admin] = [await addUser(), await addUser(), await addUser('admin')]
const receive = createDeliverer(db, eventHandler({ autoInProgress: true }))
let count = 0
const dayMs = 24 * 3_600_000

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { projects, tasks, jobs, labels, media } = services

  const open = async (names: string[] = [], items: object[] = []) => {
    const body = { name: 'p', labels: names.map((name) => ({ name })) }
    const project = await projects.createProject({ body }, anna.call)
    const draft_id = `draft-${++count}`
    const given = { draft_id, project_id: project.id, labels: items }
    const { project_id: _, ...set } = await tasks.openDraft({ body: given }, anna.call)
    return { project, draft_id, ...set }
  }
  const addTask = async (draft_id: string, subset = 'train') => {
    const named = { draft_id, name: subset, subset }
    const { task_id } = await tasks.addDraftTask(named, anna.call)
    await attachFrames(services, task_id, 3, anna)
    return task_id
  }
  const publish = (draft_id: string, user = anna) =>
    tasks.publishDraft({ draft_id, call_id: `publish-${draft_id}` }, user.call)
  const seenBy = async (user: typeof anna, project_id?: number) => {
    return {
      tasks: (await tasks.listTasks({ project_id, page_size: '100' }, user.call)).count,
      jobs: (await jobs.listJobs({ project_id, page_size: '100' }, user.call)).count,
    }
  }

  test('no user sees tasks of a draft, but annotations can be written into them', async () => {
    const before = await seenBy(admin)
    const { project, draft_id, labels_revision, labels: own } = await open(['car'])
    await takeEvents()
    const id = await addTask(draft_id)
    expect(await takeEvents()).toEqual([])
    expect(await seenBy(admin)).toEqual(before)
    expect(await seenBy(anna, project.id)).toEqual({ tasks: 0, jobs: 0 })
    expect(await projects.getProject({ id: project.id }, anna.call)).toEqual(project)
    await expect(tasks.getTask({ id }, anna.call)).rejects.toMatchObject({ kind: 'forbidden' })

    const query = { target: 'task', id, action: 'annotations:write' } as const
    const facts = await tasks.authorize(query, anna.call)
    expect(facts).toMatchObject({ project_id: project.id, task_id: id, size: 3, labels_revision })
    expect(await labels.getLabelSet({ target: 'task', id }, anna.call)).toEqual({
      labels_revision,
      labels: own,
    })
    await expect(tasks.authorize(query, bo.call)).rejects.toMatchObject({ kind: 'forbidden' })
    const look = tasks.authorize({ ...query, action: 'annotations:read' }, anna.call)
    await expect(look).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a draft is published once, with all of its events', async () => {
    const added = { mutable: false, input_type: 'text', values: [] }
    const items = [{ name: 'road', attributes: [{ name: 'wet', ...added }] }]
    const { project, draft_id, ...planned } = await open(['car'], items)
    const ids = [await addTask(draft_id, 'train'), await addTask(draft_id, 'val')]
    await takeEvents()

    await publish(draft_id)
    await publish(draft_id)

    const events = await takeEvents()
    expect(events.map(({ type }) => type)).toEqual([
      ...['update:project', 'labels.changed', 'create:task', 'create:task'],
      ...['create:job', 'create:job'],
    ])
    const { results } = await tasks.listTasks({ project_id: project.id, sort: 'id' }, anna.call)
    expect(results).toMatchObject([
      { id: ids[0], name: 'train', subset: 'train', size: 3, owner: { id: anna.id } },
      { id: ids[1], name: 'val', subset: 'val', size: 3, status: 'annotation' },
    ])
    expect(events.slice(2, 4).map(({ data }) => data)).toMatchObject(
      results.map(({ id, project_id, name }) => ({ task: { id, project_id, name } })),
    )
    const after = await labels.getLabelSet({ target: 'task', id: Number(ids[0]) }, anna.call)
    expect(after).toEqual(planned)
    expect(after.labels.map(({ name }) => name)).toEqual(['car', 'road'])
    expect((await projects.getProject({ id: project.id }, anna.call)).tasks.count).toBe(2)
  })

  test('a draft plans skeletons with the points and drawings that they will have', async () => {
    const node = (name: string) => `<circle cx="1" cy="2" data-label-name="${name}"></circle>`
    const values = { mutable: false, input_type: 'text' as const, values: [] }
    const attributes = [{ name: 'mood', ...values }]
    const points = ['head', 'foot'].map((name) => ({ name, type: 'points', attributes }))
    const person = { name: 'person', type: 'skeleton', svg: node('head') + node('foot') }
    const items = [{ ...person, attributes, sublabels: points }, { name: 'road' }]
    const { project, draft_id, ...planned } = await open(['car'], items)
    const id = await addTask(draft_id)

    await publish(draft_id)

    const after = await labels.getLabelSet({ target: 'task', id }, anna.call)
    expect(after).toEqual(planned)
    const [, skeleton, road] = after.labels
    const ids = skeleton?.sublabels.map((part) => part.id) ?? []
    expect(skeleton).toMatchObject({
      name: 'person',
      type: 'skeleton',
      project_id: project.id,
      attributes,
      sublabels: points.map((point) => ({ ...point, has_parent: true })),
    })
    expect(skeleton?.svg).toBe(
      ids.map((one) => `<circle cx="1" cy="2" data-label-id="${one}"></circle>`).join(''),
    )
    expect(road?.id).toBeLessThan(Math.min(...ids))

    const next = {
      id: skeleton?.id,
      sublabels: [{ id: ids[1], attributes: [{ name: 'bare', ...values }] }],
    }
    const second = { draft_id: `${draft_id}-more`, project_id: project.id, labels: [next] }
    const more = await tasks.openDraft({ body: second }, anna.call)
    const named = { draft_id: second.draft_id, name: 'more', subset: '' }
    const { task_id } = await tasks.addDraftTask(named, anna.call)
    await attachFrames(services, task_id, 1, anna)
    await publish(second.draft_id)
    const last = await labels.getLabelSet({ target: 'task', id: task_id }, anna.call)
    expect(last.labels).toEqual(more.labels)
    const names = last.labels[1]?.sublabels.map((part) => part.attributes.map(({ name }) => name))
    expect(names).toEqual([['mood'], ['mood', 'bare']])
    expect(last.labels[1]?.svg).toBe(skeleton?.svg)
  })

  test('annotations in a draft start its jobs, but no event is emitted before publication', async () => {
    const { project, draft_id } = await open()
    const id = await addTask(draft_id)
    await takeEvents()
    const facts = await tasks.authorize(
      { target: 'task', id, action: 'annotations:write' },
      anna.call,
    )
    const counts = { revision: 1, tags: 0, shapes: 2, tracks: 0, is_annotated: true }
    const job_id = Number(facts.jobs[0]?.id)
    const change = { task_id: id, action: 'import' as const, jobs: [{ job_id, ...counts }] }
    const event_id = randomUUID()
    await tasks.annotationsChanged({ body: { event_id, change } }, anna.call)
    expect(await takeEvents()).toEqual([])
    await publish(draft_id)
    expect((await takeEvents()).map(({ type }) => type)).toEqual(['create:task', 'create:job'])
    const { results } = await jobs.listJobs({ project_id: project.id }, anna.call)
    expect(results).toMatchObject([{ id: job_id, state: 'in progress' }])
    await receive(annotationsChanged, change, { id: event_id })
    expect(await takeEvents()).toEqual([])
  })

  test('a dropped draft leaves no rows and emits one event', async () => {
    const { project, draft_id } = await open([], [{ name: 'road' }])
    const task_id = await addTask(draft_id)
    await takeEvents()
    await tasks.dropDraft({ draft_id }, anna.call)
    await tasks.dropDraft({ draft_id }, anna.call)
    expect(await takeEvents()).toMatchObject([
      { type: 'draft.dropped', data: { draft_id, task_ids: [task_id] } },
    ])
    const query = { target: 'task', id: task_id, action: 'annotations:write' } as const
    await expect(tasks.authorize(query, anna.call)).rejects.toMatchObject({ kind: 'not_found' })
    expect(await projects.getProject({ id: project.id }, anna.call)).toEqual(project)
    await expect(publish(draft_id)).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a draft cannot overwrite labels that changed after it was opened', async () => {
    const { project, draft_id } = await open(['car'], [{ name: 'road' }])
    await addTask(draft_id)
    const body = { labels: [{ name: 'tree' }] }
    await projects.updateProject({ id: project.id, body }, anna.call)
    await expect(publish(draft_id)).rejects.toMatchObject({ kind: 'conflict' })
    expect(await seenBy(anna, project.id)).toEqual({ tasks: 0, jobs: 0 })
  })

  test('a draft remains after its project is deleted, but cannot be published', async () => {
    const { project, draft_id } = await open()
    await addTask(draft_id)
    await projects.deleteProject({ id: project.id }, anna.call)
    await expect(publish(draft_id)).rejects.toMatchObject({ kind: 'not_found' })
    await tasks.dropDraft({ draft_id }, anna.call)
  })

  test('a user who may not change the project can neither open nor publish a draft of it', async () => {
    const { project } = await open()
    const body = { draft_id: 'bo', project_id: project.id, labels: [] }
    const attempt = tasks.openDraft({ body }, bo.call)
    await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
    const { draft_id } = await open()
    await expect(publish(draft_id, bo)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  test('an abandoned draft is dropped after a day', async () => {
    const { draft_id } = await open()
    await addTask(draft_id)
    const isThere = async () =>
      (await db.selectFrom('drafts').select('draft_id').where('draft_id', '=', draft_id).execute())
        .length > 0
    await dropOldDrafts(db, new Date(Date.now() + dayMs - 60_000))
    expect(await isThere()).toBe(true)
    await dropOldDrafts(db, new Date(Date.now() + dayMs + 60_000))
    expect(await isThere()).toBe(false)
  })

  test('the frame search does not find frames of a draft', async () => {
    const { draft_id } = await open()
    const task_id = await addTask(draft_id)
    const found = await media.listFrames({ search: 'jpg', task_id }, admin.call)
    expect(found.count).toBe(0)
  })
})
