import { recordTag } from '@reticle/kit/call/etag'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { attachFrames, testWorkspace } from '../testing/workspace.ts'

/** Calls on labels. */

const { db, addUser, over, takeEvents } = await testWorkspace()
const [anna, bo, admin] = [await addUser(), await addUser(), await addUser('admin')]

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { projects, labels, tasks, jobs } = services
  type Items = NonNullable<Parameters<typeof projects.createProject>[0]['body']['labels']>
  const addProject = (items: Items) =>
    projects.createProject({ body: { name: 'p', labels: items } }, anna.call)
  const patch = (id: number, items: Items) =>
    projects.updateProject({ id, body: { labels: items } }, anna.call)

  test('labels are created with their project, in the order of the body', async () => {
    const size = { name: 'size', mutable: true, input_type: 'select' as const, values: ['s', 'l'] }
    const project = await addProject([
      { name: 'car', color: '#3D6EBE', attributes: [size] },
      {
        name: 'person',
        type: 'skeleton',
        svg: '<circle r="1" data-label-name="head"/><script/>',
        sublabels: [{ name: 'head', type: 'points' }],
      },
    ])
    const [car, person] = project.labels
    expect(car).toEqual({
      id: expect.any(Number),
      name: 'car',
      color: '#3d6ebe',
      type: 'any',
      attributes: [{ id: expect.any(Number), default_value: 's', ...size }],
      sublabels: [],
      project_id: project.id,
      parent_id: null,
      has_parent: false,
    })
    const head = person?.sublabels[0]
    expect(head).toEqual({
      id: expect.any(Number),
      name: 'head',
      color: expect.stringMatching(/^#[0-9a-f]{6}$/),
      type: 'points',
      attributes: [],
      has_parent: true,
    })
    expect(person?.svg).toBe(`<circle r="1" data-label-id="${head?.id}"></circle>`)
    const again = await projects.getProject({ id: project.id }, anna.call)
    expect(again.labels).toEqual(project.labels)
  })

  test('labels copied from another project or server get drawings with the new ids', async () => {
    const circles = (ids: (number | undefined)[]) =>
      ids.map((id, at) => `<circle data-element-id="${at + 1}" data-label-id="${id}"></circle>`)
    const sublabels = [{ name: 'head' }, { name: 'foot' }]
    const [foreign] = (
      await addProject([
        { name: 'a', type: 'skeleton', svg: circles([9_000_001, 9_000_002]).join(''), sublabels },
      ])
    ).labels
    const partsOf = (label: typeof foreign) => label?.sublabels.map(({ id }) => id) ?? []
    expect(foreign?.svg).toBe(circles(partsOf(foreign)).join(''))
    const [copied] = (await addProject(foreign ? [foreign] : [])).labels
    expect(copied?.svg).toBe(circles(partsOf(copied)).join(''))
    expect(partsOf(copied)).not.toEqual(partsOf(foreign))
  })

  test('a patch adds, changes, removes and swaps labels in one transaction', async () => {
    const project = await addProject([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    const [a, b, c] = project.labels
    await takeEvents()
    const refused = patch(project.id, [{ id: a?.id, name: 'x' }, { name: 'b' }])
    await expect(refused).rejects.toMatchObject({ kind: 'invalid' })
    const stranger = patch(project.id, [{ id: a?.id, name: 'x' }, { id: 999_999 }])
    await expect(stranger).rejects.toMatchObject({ kind: 'not_found' })
    expect(await takeEvents()).toEqual([])

    const changed = await patch(project.id, [
      { id: a?.id, name: 'b' },
      { id: b?.id, name: 'a' },
      { id: c?.id, deleted: true },
      { name: 'd' },
    ])
    expect(changed.labels.map((one) => one.name)).toEqual(['b', 'a', 'd'])
    const events = await takeEvents()
    expect(events.map((event) => event.type)).toEqual(['update:project', 'labels.changed'])
    expect(events[0]?.data).toHaveProperty('before_update', { updated_date: project.updated_date })
    expect(events[1]).toMatchObject({
      key: `project:${project.id}`,
      data: {
        project_id: project.id,
        task_id: null,
        labels_revision: 1,
        deleted_label_ids: [c?.id],
        deleted_labels: [{ id: c?.id, name: 'c' }],
        deleted_spec_ids: [],
      },
    })
  })

  test('attributes are changed and removed by id', async () => {
    const text = (name: string) => ({
      name,
      mutable: false,
      input_type: 'text' as const,
      values: [],
    })
    const project = await addProject([{ name: 'a', attributes: [text('x'), text('y')] }])
    const [a] = project.labels
    const [x, y] = a?.attributes ?? []
    await takeEvents()
    const changed = await patch(project.id, [
      {
        id: a?.id,
        attributes: [
          { id: x?.id, name: 'z', default_value: 'q' },
          { id: y?.id, deleted: true },
          text('w'),
        ],
      },
    ])
    expect(changed.labels[0]?.attributes).toMatchObject([
      { id: x?.id, name: 'z', default_value: 'q' },
      { name: 'w' },
    ])
    const [, event] = await takeEvents()
    expect(event?.data).toMatchObject({
      deleted_label_ids: [],
      deleted_spec_ids: [y?.id],
      affected_label_ids: [a?.id],
    })
  })

  test('a change moves the dates of the tasks and jobs below', async () => {
    const project = await addProject([{ name: 'a' }])
    const body = { name: 't', project_id: project.id }
    const task = await tasks.createTask({ body }, anna.call)
    await attachFrames(services, task.id, 2, anna)
    const jobOf = async () => (await jobs.listJobs({ task_id: task.id }, anna.call)).results[0]
    const before = { task: await tasks.getTask({ id: task.id }, anna.call), job: await jobOf() }
    await takeEvents()

    await patch(project.id, [{ id: project.labels[0]?.id, color: '#112233' }])

    const after = await tasks.getTask({ id: task.id }, anna.call)
    expect(after.labels[0]?.color).toBe('#112233')
    expect(after.updated_date > before.task.updated_date).toBe(true)
    const job = await jobOf()
    expect(job && before.job && job.updated_date > before.job.updated_date).toBe(true)
    const events = await takeEvents()
    expect(events.map((event) => event.type)).toEqual(['update:project', 'labels.changed'])
    expect(events[1]?.data).toMatchObject({ task_ids: [task.id] })
    const set = await labels.getLabelSet({ target: 'task', id: task.id }, anna.call)
    expect(set).toEqual({ labels_revision: 1, labels: after.labels })
  })

  test('a patch with the current labels changes nothing', async () => {
    const project = await addProject([
      { name: 'a', color: '#000000' },
      { name: 's', type: 'skeleton', svg: '<line x1="1"/>', sublabels: [{ name: 'h' }] },
    ])
    await takeEvents()
    expect(await patch(project.id, project.labels)).toEqual(project)
    expect(await takeEvents()).toEqual([])
  })

  describe('calls on single labels', () => {
    test('change and remove them with the permission and the events of their owner', async () => {
      const project = await addProject([{ name: 'a' }, { name: 'b' }])
      const id = project.labels[0]?.id ?? 0
      await takeEvents()
      const changed = await labels.updateLabel({ id, body: { name: 'x' } }, anna.call)
      expect(changed).toEqual({ ...project.labels[0], name: 'x' })
      expect((await takeEvents()).map((event) => event.type)).toEqual([
        'update:project',
        'labels.changed',
      ])
      await labels.deleteLabel({ id }, anna.call)
      expect((await takeEvents())[1]?.data).toMatchObject({
        deleted_label_ids: [id],
        deleted_labels: [{ id, name: 'x' }],
      })
      const gone = { kind: 'not_found' }
      await expect(labels.getLabel({ id }, anna.call)).rejects.toMatchObject(gone)
      await expect(labels.deleteLabel({ id }, anna.call)).rejects.toMatchObject(gone)
      await expect(labels.updateLabel({ id, body: {} }, anna.call)).rejects.toMatchObject(gone)
    })

    test('compare If-Match under the lock of the owner', async () => {
      const project = await addProject([{ name: 'a' }])
      const id = project.labels[0]?.id ?? 0
      const first = await labels.getLabel({ id }, anna.call)
      const if_match = recordTag(first)
      const second = await labels.updateLabel({ id, body: { name: 'x' }, if_match }, anna.call)
      await takeEvents()
      const late = { kind: 'precondition', more: { etag: recordTag(second) } }
      const attempts = [
        labels.updateLabel({ id, body: { name: 'y' }, if_match }, anna.call),
        labels.deleteLabel({ id, if_match }, anna.call),
      ]
      for (const attempt of attempts) await expect(attempt).rejects.toMatchObject(late)
      expect(await takeEvents()).toEqual([])
      await labels.deleteLabel({ id, if_match: recordTag(second) }, anna.call)
    })

    test('of a task emit events of the task', async () => {
      const body = { name: 't', labels: [{ name: 'a' }] }
      const task = await tasks.createTask({ body }, anna.call)
      const id = task.labels[0]?.id ?? 0
      await takeEvents()
      await labels.updateLabel({ id, body: { name: 'x' } }, anna.call)
      const events = await takeEvents()
      expect(events.map(({ type, key }) => [type, key])).toEqual([
        ['update:task', `task:${task.id}`],
        ['labels.changed', `task:${task.id}`],
      ])
    })

    test('are forbidden for strangers', async () => {
      const project = await addProject([{ name: 'a' }])
      const id = project.labels[0]?.id ?? 0
      const forbidden = { kind: 'forbidden' }
      await expect(labels.getLabel({ id }, bo.call)).rejects.toMatchObject(forbidden)
      const change = labels.updateLabel({ id, body: { deleted: true } }, bo.call)
      await expect(change).rejects.toMatchObject(forbidden)
      await expect(labels.deleteLabel({ id }, bo.call)).rejects.toMatchObject(forbidden)
    })

    test('reject deleted in a patch, and sublabels change only with their parent', async () => {
      const project = await addProject([
        { name: 's', type: 'skeleton', sublabels: [{ name: 'h' }] },
      ])
      const [parent] = project.labels
      const sublabel = parent?.sublabels[0]
      const deleting = labels.updateLabel(
        { id: parent?.id ?? 0, body: { deleted: true } },
        anna.call,
      )
      await expect(deleting).rejects.toMatchObject({ body: { deleted: [expect.any(String)] } })
      const id = sublabel?.id ?? 0
      const invalid = { kind: 'invalid' }
      await expect(labels.updateLabel({ id, body: {} }, anna.call)).rejects.toMatchObject(invalid)
      await expect(labels.deleteLabel({ id }, anna.call)).rejects.toMatchObject(invalid)
      expect(await labels.getLabel({ id }, anna.call)).toEqual({
        ...sublabel,
        sublabels: [],
        project_id: project.id,
        parent_id: parent?.id,
      })
    })
  })

  describe('lists of labels', () => {
    test('are the same for a project, a task in it and a job of that task', async () => {
      const project = await addProject([
        { name: 'a' },
        { name: 's', type: 'skeleton', sublabels: [{ name: 'h' }] },
      ])
      const body = { name: 't', project_id: project.id }
      const task = await tasks.createTask({ body }, anna.call)
      await attachFrames(services, task.id, 1, anna)
      const job_id = (await jobs.listJobs({ task_id: task.id }, anna.call)).results[0]?.id
      const expected = { count: 2, results: project.labels }
      for (const query of [{ project_id: project.id }, { task_id: task.id }, { job_id }])
        expect(await labels.listLabels(query, anna.call)).toEqual(expected)
      const sublabels = await labels.listLabels({ parent_id: project.labels[1]?.id }, anna.call)
      expect(sublabels.results.map((one) => one.name)).toEqual(['h'])
      const byName = await labels.listLabels({ project_id: project.id, parent: 's' }, anna.call)
      expect(byName.results.map((one) => one.name)).toEqual(['h'])
    })

    test('require a single owner that exists and that the caller may view', async () => {
      const project = await addProject([])
      const two = labels.listLabels({ project_id: project.id, task_id: 1 }, anna.call)
      await expect(two).rejects.toMatchObject({ kind: 'invalid' })
      for (const query of [{ project_id: 999_999 }, { task_id: 999_999 }, { job_id: 999_999 }]) {
        const unknown = labels.listLabels(query, anna.call)
        await expect(unknown).rejects.toMatchObject({ kind: 'not_found' })
      }
      const hidden = labels.listLabels({ project_id: project.id }, bo.call)
      await expect(hidden).rejects.toMatchObject({ kind: 'forbidden' })
    })

    test('without an owner contain labels of all visible owners, filtered and sorted', async () => {
      const user = await addUser()
      const body = { name: 'p', labels: [{ name: 'b', color: '#000001' }, { name: 'a' }] }
      await projects.createProject({ body }, user.call)
      const named = async (query: Parameters<typeof labels.listLabels>[0]) =>
        (await labels.listLabels(query, user.call)).results.map((one) => one.name).join('')
      expect(await named({})).toBe('ba')
      expect(await named({ sort: 'name' })).toBe('ab')
      expect(await named({ color: '#000001' })).toBe('b')
      expect(await named({ name: 'a', type: 'any' })).toBe('a')
      expect((await labels.listLabels({}, admin.call)).count).toBeGreaterThan(2)
    })
  })
})

test('a list needs as many statements for many labels as for few', async () => {
  const counted = async (page_size: string) => {
    const { db: watched, statements } = countStatements(db)
    await over('in-process', watched).labels.listLabels({ page_size }, admin.call)
    return statements()
  }
  expect(await counted('100')).toBe(await counted('1'))
})

test('listing the labels of a task takes four statements, reading one label three', async () => {
  const body = { name: 't', labels: [{ name: 'car' }] }
  const task = await over('in-process').tasks.createTask({ body }, admin.call)
  const list = countStatements(db)
  await over('in-process', list.db).labels.listLabels({ task_id: task.id }, admin.call)
  expect(list.statements()).toBeLessThanOrEqual(4)
  const one = countStatements(db)
  const id = task.labels[0]?.id ?? 0
  await over('in-process', one.db).labels.getLabel({ id }, admin.call)
  expect(one.statements()).toBeLessThanOrEqual(3)
})

test.each([
  ['a project', { name: 'p' }],
  ['no project', undefined],
])('one statement reads the label set of a task in %s', async (_, project) => {
  const services = over('in-process')
  const items = [{ name: 'car', attributes: [] }, { name: 'tree' }]
  const owner =
    project &&
    (await services.projects.createProject({ body: { ...project, labels: items } }, admin.call))
  const body = owner ? { name: 't', project_id: owner.id } : { name: 't', labels: items }
  const task = await services.tasks.createTask({ body }, admin.call)
  const { db: watched, statements } = countStatements(db)
  const set = await over('in-process', watched).labels.getLabelSet(
    { target: 'task', id: task.id },
    admin.call,
  )
  expect(statements()).toBe(1)
  expect(set).toEqual({ labels_revision: expect.any(Number), labels: task.labels })
  expect(set.labels.map(({ name }) => name)).toEqual(['car', 'tree'])
})
