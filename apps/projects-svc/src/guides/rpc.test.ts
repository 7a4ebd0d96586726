import { recordTag } from '@reticle/kit/call/etag'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { addReview } from '../testing/review.ts'
import { testWorkspace } from '../testing/workspace.ts'
import { mostAssets } from './references.ts'

/** Calls on guides. Permissions are tested in `policy.test.ts`. */

const { db, addUser, over, takeEvents } = await testWorkspace()
const [anna, bo] = [await addUser(), await addUser()]
const worker = await addUser('worker')
const forbidden = { kind: 'forbidden' }
const notThere = { kind: 'not_found' }

const asset = (index: number) =>
  `![](/api/assets/5f0c0c1e-8f39-4a52-9c3a-${String(index).padStart(12, '0')})`
const markdownOf = (assets: number) => Array.from({ length: assets }, (_, at) => asset(at)).join('')

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { projects, tasks, jobs, guides } = services
  type Body = Parameters<typeof guides.createGuide>[0]['body']
  const setUp = async () => {
    const made = await addReview(services, anna)
    await takeEvents()
    return made
  }
  const create = (body: Body, user = anna) => guides.createGuide({ body }, user.call)
  const patch = (id: number, markdown: string | undefined, user = anna, if_match?: string) =>
    guides.updateGuide({ id, body: { markdown }, if_match }, user.call)
  const project = (id: number) => projects.getProject({ id }, anna.call)
  const task = (id: number) => tasks.getTask({ id }, anna.call)
  const job = (id: number) => jobs.getJob({ id }, anna.call)

  test('the markdown of a guide is stored unchanged', async () => {
    const { project_id } = await setUp()
    const markdown = '  # Cars \r\n<script>alert(1)</script>\n'
    const made = await create({ project_id, markdown })
    expect(made).toEqual({
      id: expect.any(Number),
      task_id: null,
      project_id,
      created_date: expect.any(String),
      updated_date: expect.any(String),
      markdown,
    })
    expect(await guides.getGuide({ id: made.id }, anna.call)).toEqual(made)
  })

  test('a guide without markdown is empty', async () => {
    const { task_id } = await setUp()
    const made = await create({ task_id, project_id: null })
    expect(made).toMatchObject({ task_id, project_id: null, markdown: '' })
  })

  test.each([
    ['both targets', { project_id: 1, task_id: 1 }, 'non_field_errors'],
    ['none', {}, 'non_field_errors'],
    ['nothing but null', { project_id: null }, 'non_field_errors'],
    ['an unknown project', { project_id: 999_999 }, 'project_id'],
    ['an unknown task', { task_id: 999_999 }, 'task_id'],
  ])('a guide with %s as its target is rejected', async (_, body, field) => {
    await expect(create(body)).rejects.toMatchObject({
      kind: 'invalid',
      body: { [field]: [expect.any(String)] },
    })
  })

  test('concurrent calls create at most one guide of a target', async () => {
    const { project_id, task_id } = await setUp()
    for (const target of [{ project_id }, { task_id }]) {
      const results = await Promise.allSettled([1, 2, 3].map(() => create(target)))
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      await expect(create(target)).rejects.toMatchObject({ kind: 'conflict' })
    }
  })

  test('projects, tasks and jobs name their guide; jobs in a project name that of the project', async () => {
    const { project_id, task_id, job: id } = await setUp()
    const names = async () => [
      (await project(project_id)).guide_id,
      (await task(task_id)).guide_id,
      (await job(id)).guide_id,
    ]
    expect(await names()).toEqual([null, null, null])
    const ofTask = await create({ task_id })
    expect(await names()).toEqual([null, ofTask.id, ofTask.id])
    const ofProject = await create({ project_id })
    expect(await names()).toEqual([ofProject.id, ofTask.id, ofProject.id])

    const { results } = await projects.listProjects({ page_size: 'all' }, anna.call)
    expect(results.find((one) => one.id === project_id)?.guide_id).toBe(ofProject.id)
    const listed = await jobs.listJobs({ task_id }, anna.call)
    expect(listed.results.map((one) => one.guide_id)).toEqual([ofProject.id, ofProject.id])
    expect((await tasks.listTasks({ id: task_id }, anna.call)).results).toMatchObject([
      { guide_id: ofTask.id },
    ])
    const renamed = { id: project_id, body: { name: 'renamed' } }
    expect(await projects.updateProject(renamed, anna.call)).toMatchObject({
      guide_id: ofProject.id,
    })
    await guides.deleteGuide({ id: ofProject.id }, anna.call)
    expect(await names()).toEqual([null, ofTask.id, ofTask.id])
    await expect(guides.getGuide({ id: ofProject.id }, anna.call)).rejects.toMatchObject(notThere)
  })

  test('target dates move without an event, and job dates when a guide is created or deleted', async () => {
    const { project_id, task_id, job: job_id } = await setUp()
    const dates = async () => ({
      project: (await project(project_id)).updated_date,
      task: (await task(task_id)).updated_date,
      job: (await job(job_id)).updated_date,
    })
    const moved = async (run: () => Promise<unknown>) => {
      const before = await dates()
      await run()
      const after = await dates()
      const names = ['project', 'task', 'job'] as const
      return names.filter((name) => after[name] > before[name])
    }
    let [ofProject, ofTask] = [0, 0]
    const creations = [
      async () => {
        ofProject = (await create({ project_id })).id
      },
      async () => {
        ofTask = (await create({ task_id })).id
      },
    ] as const
    expect(await moved(creations[0])).toEqual(['project', 'job'])
    expect(await moved(creations[1])).toEqual(['project', 'task', 'job'])
    expect(await moved(() => patch(ofProject, 'new'))).toEqual(['project'])
    expect(await moved(() => patch(ofTask, 'new'))).toEqual(['project', 'task'])
    for (const same of ['new', undefined])
      expect(await moved(() => patch(ofTask, same))).toEqual([])
    const removed = () => guides.deleteGuide({ id: ofTask }, anna.call)
    expect(await moved(removed)).toEqual(['project', 'task', 'job'])
    expect(await takeEvents()).toEqual([])
  })

  test('a change moves the date, a patch without effect does not', async () => {
    const { project_id } = await setUp()
    const before = await create({ project_id, markdown: 'old' })
    expect(await patch(before.id, 'old')).toEqual(before)
    expect(await patch(before.id, undefined)).toEqual(before)
    const after = await patch(before.id, 'new')
    expect(after).toMatchObject({ markdown: 'new', created_date: before.created_date })
    expect(after.updated_date > before.updated_date).toBe(true)
    expect(await patch(before.id, '')).toMatchObject({ markdown: '' })
  })

  test('a guide with more than 150 asset references is rejected', async () => {
    const { project_id } = await setUp()
    const tooMany = {
      kind: 'invalid',
      body: { markdown: [`A guide refers to at most 150 assets, this one to 151.`] },
    }
    const refused = create({ project_id, markdown: markdownOf(mostAssets + 1) })
    await expect(refused).rejects.toMatchObject(tooMany)
    const { id } = await create({ project_id, markdown: markdownOf(mostAssets) })
    await expect(patch(id, markdownOf(mostAssets + 1))).rejects.toMatchObject(tooMany)
    expect(await guides.getGuide({ id }, anna.call)).toMatchObject({
      markdown: markdownOf(mostAssets),
    })
  })

  test('a stale If-Match is rejected', async () => {
    const { project_id } = await setUp()
    const before = await create({ project_id })
    const tag = recordTag(before)
    await patch(before.id, 'new', anna, tag)
    const late = { kind: 'precondition' }
    await expect(patch(before.id, 'late', anna, tag)).rejects.toMatchObject(late)
    const removed = guides.deleteGuide({ id: before.id, if_match: tag }, anna.call)
    await expect(removed).rejects.toMatchObject(late)
  })

  test('the assignee of a job of the target can only read the guide', async () => {
    const { project_id, task_id, job: id } = await setUp()
    const ofProject = await create({ project_id, markdown: 'read me' })
    const ofTask = await create({ task_id })
    const read = (guide: number) => guides.getGuide({ id: guide }, worker.call)
    await expect(read(ofProject.id)).rejects.toMatchObject(forbidden)
    await db.updateTable('jobs').set({ assignee_id: worker.id }).where('id', '=', id).execute()
    expect(await read(ofProject.id)).toEqual(ofProject)
    expect(await read(ofTask.id)).toEqual(ofTask)
    await expect(patch(ofProject.id, 'mine', worker)).rejects.toMatchObject(forbidden)
  })

  test('a guide is deleted with its target', async () => {
    const { project_id, task_id } = await setUp()
    const ofTask = await create({ task_id })
    const ofProject = await create({ project_id })
    await tasks.deleteTask({ id: task_id }, anna.call)
    await projects.deleteProject({ id: project_id }, anna.call)
    for (const { id } of [ofTask, ofProject])
      await expect(guides.getGuide({ id }, anna.call)).rejects.toMatchObject(notThere)
  })

  test('missing guides are not found; guides of other users are forbidden', async () => {
    const { project_id, task_id } = await setUp()
    const { id } = await create({ project_id })
    for (const call of [
      () => guides.getGuide({ id: 999_999 }, anna.call),
      () => patch(999_999, 'x'),
      () => guides.deleteGuide({ id: 999_999 }, anna.call),
    ])
      await expect(call()).rejects.toMatchObject(notThere)
    for (const call of [
      () => guides.getGuide({ id }, bo.call),
      () => patch(id, undefined, bo),
      () => guides.deleteGuide({ id }, bo.call),
      () => create({ project_id }, bo),
      () => create({ task_id }, bo),
    ])
      await expect(call()).rejects.toMatchObject(forbidden)
  })
})
