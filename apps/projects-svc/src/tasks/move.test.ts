import { describe, expect, test } from 'vitest'
import { attachFrames, testWorkspace } from '../testing/workspace.ts'

/** Moves of a task into a project. */

const { db, addUser, over, takeEvents } = await testWorkspace()
const [anna, bo] = [await addUser(), await addUser()]
const forbidden = { kind: 'forbidden' }

describe('a task that moves into a project', () => {
  const services = over('in-process')
  const { projects, tasks } = services
  const select = (values: string[]) => ({
    name: 'size',
    mutable: true,
    input_type: 'select' as const,
    values,
  })
  const skeleton = (...names: string[]) => ({
    name: 'person',
    type: 'skeleton' as const,
    sublabels: names.map((name) => ({ name })),
  })
  type Items = NonNullable<Parameters<typeof tasks.createTask>[0]['body']['labels']>
  const addTask = (labels: Items) => tasks.createTask({ body: { name: 't', labels } }, anna.call)
  const addProject = (labels: Items) =>
    projects.createProject({ body: { name: 'p', labels } }, anna.call)
  const move = (id: number, project_id: number | null, labels?: Items) =>
    tasks.updateTask({ id, body: { project_id, labels } }, anna.call)

  test("uses the project's labels of the same names, and emits the mapping", async () => {
    const task = await addTask([{ name: 'car', attributes: [select(['s'])] }, skeleton('head')])
    const project = await addProject([
      skeleton('foot', 'head'),
      { name: 'bus' },
      { name: 'car', attributes: [select(['s'])] },
    ])
    await takeEvents()
    const moved = await move(task.id, project.id)
    expect(moved).toMatchObject({ project_id: project.id, project_name: 'p' })
    expect(moved.labels).toEqual(project.labels)
    const [own, ownPerson] = task.labels
    const [person, , car] = project.labels
    const events = await takeEvents()
    const types = ['update:task', 'labels.changed', 'task.moved']
    expect(events.map((event) => event.type)).toEqual(types)
    expect(events[2]?.data).toEqual({
      task_id: task.id,
      project_id: project.id,
      organization_id: null,
    })
    expect(events[1]?.data).toMatchObject({
      project_id: null,
      task_ids: [task.id],
      deleted_label_ids: [],
      replaced_labels: [
        { from: own?.id, to: car?.id },
        { from: ownPerson?.id, to: person?.id },
        { from: ownPerson?.sublabels[0]?.id, to: person?.sublabels[1]?.id },
      ],
      replaced_specs: [{ from: own?.attributes[0]?.id, to: car?.attributes[0]?.id }],
    })
    const left = await db.selectFrom('labels').where('task_id', '=', task.id).execute()
    expect(left).toEqual([])
    const target = await projects.getProject({ id: project.id }, anna.call)
    expect(target.updated_date > project.updated_date).toBe(true)
  })

  test('can rename labels in the same request', async () => {
    const task = await addTask([{ name: 'auto' }])
    const project = await addProject([{ name: 'car' }])
    const moved = await move(task.id, project.id, [{ id: task.labels[0]?.id, name: 'car' }])
    expect(moved.labels).toEqual(project.labels)
  })

  test('can leave another project, whose labels stay', async () => {
    const first = await addProject([{ name: 'car' }])
    const second = await addProject([{ name: 'car' }])
    const body = { name: 't', project_id: first.id }
    const task = await tasks.createTask({ body }, anna.call)
    const moved = await move(task.id, second.id)
    expect(moved.labels).toEqual(second.labels)
    const left = await projects.getProject({ id: first.id }, anna.call)
    expect(left.labels).toEqual(first.labels)
    expect(left.updated_date > first.updated_date).toBe(true)
  })

  const refusals: [what: string, own: Items, target: Items, text: string][] = [
    ['a label', [{ name: 'car' }], [], "no label 'car'"],
    [
      'an attribute',
      [{ name: 'car', attributes: [select(['s'])] }],
      [{ name: 'car' }],
      "no attribute 'size'",
    ],
    [
      'equal values',
      [{ name: 'car', attributes: [select(['s'])] }],
      [{ name: 'car', attributes: [select(['s', 'l'])] }],
      'other values',
    ],
    ['a sublabel', [skeleton('head')], [skeleton('foot')], "no label 'head'"],
    ['a skeleton', [skeleton()], [{ name: 'person' }], 'is a skeleton only'],
  ]
  test.each(refusals)('requires %s there', async (_, own, target, text) => {
    const task = await addTask(own)
    const project = await addProject(target)
    await expect(move(task.id, project.id)).rejects.toMatchObject({
      kind: 'invalid',
      body: [expect.stringContaining(text)],
    })
  })

  test('requires media of the same dimension as the tasks of the project', async () => {
    const project = await addProject([])
    const row = {
      name: 'other',
      project_id: project.id,
      owner_id: anna.id,
      dimension: '3d',
    } as const
    const { id } = await db
      .insertInto('tasks')
      .values(row)
      .returning('id')
      .executeTakeFirstOrThrow()
    const [flat, solid, empty] = [await addTask([]), await addTask([]), await addTask([])]
    for (const task of [flat, solid]) await attachFrames(services, task.id, 1, anna)
    await db.updateTable('tasks').set({ dimension: '3d' }).where('id', '=', solid.id).execute()
    await move(flat.id, project.id)
    await db.updateTable('tasks').set({ size: 1 }).where('id', '=', id).execute()
    const late = await addTask([])
    await attachFrames(services, late.id, 1, anna)
    await expect(move(late.id, project.id)).rejects.toMatchObject({
      kind: 'invalid',
      body: [expect.stringContaining('another dimension than 2d')],
    })
    await move(empty.id, project.id)
    const { id: deep } = await addProject([])
    const lone = { ...row, project_id: deep, size: 1 }
    await db.insertInto('tasks').values(lone).execute()
    expect(await move(solid.id, deep)).toMatchObject({ project_id: deep })
  })

  test('requires a project that the caller may use', async () => {
    const task = await addTask([])
    const foreign = await projects.createProject({ body: { name: 'p' } }, bo.call)
    await expect(move(task.id, foreign.id)).rejects.toMatchObject(forbidden)
    await expect(move(task.id, 999_999)).rejects.toMatchObject({
      body: { project_id: [expect.any(String)] },
    })
    const project = await addProject([])
    await expect(move(task.id, project.id, [{ name: 'x' }])).rejects.toMatchObject({
      kind: 'invalid',
    })
    await expect(move(task.id, project.id, [{ id: 9 }])).rejects.toMatchObject({
      kind: 'not_found',
    })
    await move(task.id, project.id)
    const alone = await addTask([])
    for (const { id } of [task, alone])
      await expect(move(id, null)).rejects.toMatchObject({
        body: { project_id: ['A task cannot be moved out of its project.'] },
      })
  })
})
