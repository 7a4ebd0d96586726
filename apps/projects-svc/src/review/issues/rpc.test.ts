import type { IssueCreate, IssuePatch } from '@reticle/contracts/rest/issues'
import { recordTag } from '@reticle/kit/call/etag'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { addReview } from '../../testing/review.ts'
import { testWorkspace } from '../../testing/workspace.ts'

/** Calls on issues. Permissions are tested in `policy.test.ts`. */

const { db, addUser, over, takeEvents } = await testWorkspace()
const [anna, bo, admin] = [await addUser(), await addUser(), await addUser('admin')]
const forbidden = { kind: 'forbidden' }
const notThere = { kind: 'not_found' }
const box = [10, 20, 30.5, 40.25]

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { projects, tasks, jobs, issues } = services
  const setUp = async () => {
    const made = await addReview(services, anna)
    await takeEvents()
    return made
  }
  const create = (body: Partial<IssueCreate> & { job: number }, user = anna) =>
    issues.createIssue({ body: { frame: 0, position: box, message: 'm', ...body } }, user.call)
  const patch = (id: number, body: IssuePatch, user = anna, if_match?: string) =>
    issues.updateIssue({ id, body, if_match }, user.call)
  const get = (id: number) => issues.getIssue({ id }, anna.call)
  const jobOf = (id: number) => jobs.getJob({ id }, anna.call)
  const groundTruth = (task_id: number, frames: number[]) => {
    const chosen = { frame_selection_method: 'manual', frames } as const
    return jobs.createJob({ body: { type: 'ground_truth', task_id, ...chosen } }, anna.call)
  }

  test('a new issue has its message as the first comment and emits an event for each', async () => {
    const { job, task_id, project_id } = await setUp()
    const made = await create({ job, frame: 1, assignee: anna.id, message: 'Box cuts the mirror' })
    expect(made).toEqual({
      id: expect.any(Number),
      frame: 1,
      position: box,
      job,
      owner: expect.objectContaining({ id: anna.id, username: anna.username }),
      assignee: expect.objectContaining({ id: anna.id }),
      created_date: expect.any(String),
      updated_date: expect.any(String),
      resolved: false,
      comments: { count: 1, url: `/comments?issue_id=${made.id}` },
    })
    expect(await get(made.id)).toEqual(made)
    const { results } = await issues.listComments({ issue_id: made.id }, anna.call)
    expect(results).toMatchObject([{ message: 'Box cuts the mirror', owner: { id: anna.id } }])
    const place = { task_id, project_id }
    const key = `task:${task_id}`
    expect(await takeEvents()).toMatchObject([
      { type: 'create:issue', key, data: { issue: made, ...place } },
      { type: 'create:comment', key, data: { comment: results[0], ...place } },
    ])
  })

  test('an issue can be created as resolved', async () => {
    const { job } = await setUp()
    expect(await create({ job, resolved: true })).toMatchObject({ resolved: true })
  })

  test('the job counts its issues, and its date moves when they are created or deleted', async () => {
    const { job, other_job } = await setUp()
    const before = await jobOf(job)
    expect(before.issues).toEqual({ url: `/issues?job_id=${job}`, count: 0 })
    const { id } = await create({ job })
    await create({ job })
    const counted = await jobOf(job)
    expect(counted.issues.count).toBe(2)
    expect(counted.updated_date > before.updated_date).toBe(true)
    await patch(id, { resolved: true })
    expect(await jobOf(job)).toEqual(counted)
    await issues.deleteIssue({ id }, anna.call)
    const after = await jobOf(job)
    expect(after.issues.count).toBe(1)
    expect(after.updated_date > counted.updated_date).toBe(true)
    expect((await jobOf(other_job)).issues.count).toBe(0)
  })

  test.each([
    ['a job that is not there', { job: 999_999 }, 'job'],
    ['no id', { job: -1 }, 'job'],
    ['a frame before the job', { frame: -1 }, 'frame'],
    ['a frame of the next job', { frame: 2 }, 'frame'],
    ['an assignee that is not there', { assignee: 999_999 }, 'assignee'],
  ])('%s is rejected without any effect', async (_, given, field) => {
    const { job } = await setUp()
    await expect(create({ job, ...given })).rejects.toMatchObject({
      kind: 'invalid',
      body: { [field]: [expect.any(String)] },
    })
    expect(await takeEvents()).toEqual([])
    expect((await jobOf(job)).issues.count).toBe(0)
  })

  test('frame numbers are those of the task, so the second job starts in its middle', async () => {
    const { other_job } = await setUp()
    expect(await create({ job: other_job, frame: 3 })).toMatchObject({ frame: 3 })
    await expect(create({ job: other_job, frame: 0 })).rejects.toMatchObject({
      body: { frame: ['The job has the frames 2 to 3.'] },
    })
  })

  test('an issue of a ground-truth job must be on one of its frames', async () => {
    const { task_id } = await setUp()
    const { id: job } = await groundTruth(task_id, [1, 3])
    await takeEvents()
    expect(await create({ job, frame: 1 })).toMatchObject({ job, frame: 1 })
    for (const frame of [0, 2])
      await expect(create({ job, frame })).rejects.toMatchObject({
        kind: 'invalid',
        body: { frame: [`The frame ${frame} is none of the job's 2 frames of ground truth.`] },
      })
    await expect(create({ job, frame: 4 })).rejects.toMatchObject({
      body: { frame: ['The job has the frames 0 to 3.'] },
    })
    expect((await jobOf(job)).issues.count).toBe(1)
  })

  test('outside organizations users assign only themselves, administrators anyone', async () => {
    const { job } = await setUp()
    await expect(create({ job, assignee: bo.id })).rejects.toMatchObject(forbidden)
    const { id } = await create({ job })
    await expect(patch(id, { assignee: bo.id })).rejects.toMatchObject(forbidden)
    expect(await patch(id, { assignee: bo.id }, admin)).toMatchObject({ assignee: { id: bo.id } })
    expect(await patch(id, { resolved: true }, bo)).toMatchObject({ resolved: true })
    expect(await patch(id, { assignee: null })).toMatchObject({ assignee: null })
    await expect(patch(id, { resolved: false }, bo)).rejects.toMatchObject(forbidden)
  })

  test.each([
    [{ resolved: true }, { resolved: false }],
    [{ position: [1, 2] }, { position: box }],
    [{ assignee: anna.id }, { assignee: null }],
  ])('an update to %j emits the old values', async (body, old) => {
    const { job, task_id, project_id } = await setUp()
    const before = await create({ job })
    await takeEvents()
    const after = await patch(before.id, body)
    expect(after.updated_date > before.updated_date).toBe(true)
    const before_update = { ...old, updated_date: before.updated_date }
    const events = await takeEvents()
    expect(events).toMatchObject([
      { type: 'update:issue', key: `task:${task_id}`, data: { issue: after, task_id, project_id } },
    ])
    expect(events[0]?.data).toHaveProperty('before_update', before_update)
  })

  test.each([{}, { resolved: false, position: box, assignee: null }])(
    'a patch without effect (%j) emits no event',
    async (body) => {
      const { job } = await setUp()
      const before = await create({ job })
      await takeEvents()
      expect(await patch(before.id, body)).toEqual(before)
      expect(await takeEvents()).toEqual([])
    },
  )

  test('a stale If-Match is rejected', async () => {
    const { job } = await setUp()
    const before = await create({ job })
    await patch(before.id, { resolved: true }, anna, recordTag(before))
    const late = { kind: 'precondition' }
    const again = patch(before.id, { resolved: false }, anna, recordTag(before))
    await expect(again).rejects.toMatchObject(late)
    const removed = issues.deleteIssue({ id: before.id, if_match: recordTag(before) }, anna.call)
    await expect(removed).rejects.toMatchObject(late)
    expect(await get(before.id)).toMatchObject({ resolved: true })
  })

  test('deleting an issue deletes its comments with one event', async () => {
    const { job, task_id, project_id } = await setUp()
    const issue = await create({ job })
    await takeEvents()
    await issues.deleteIssue({ id: issue.id }, anna.call)
    const place = { task_id, project_id }
    expect(await takeEvents()).toMatchObject([{ type: 'delete:issue', data: { issue, ...place } }])
    await expect(get(issue.id)).rejects.toMatchObject(notThere)
    expect((await issues.listComments({ issue_id: issue.id }, anna.call)).count).toBe(0)
  })

  test('issues are deleted with their job', async () => {
    const { task_id } = await setUp()
    const truth = await groundTruth(task_id, [3])
    const { id } = await create({ job: truth.id, frame: 3 })
    await jobs.deleteJob({ id: truth.id }, anna.call)
    await expect(get(id)).rejects.toMatchObject(notThere)
  })

  test('issues are deleted with their task or project, without own events', async () => {
    const { job, task_id, project_id } = await setUp()
    const { id } = await create({ job })
    await takeEvents()
    await tasks.deleteTask({ id: task_id }, anna.call)
    await expect(get(id)).rejects.toMatchObject(notThere)
    const other = await setUp()
    const second = await create({ job: other.job })
    await projects.deleteProject({ id: other.project_id }, anna.call)
    await projects.deleteProject({ id: project_id }, anna.call)
    await expect(get(second.id)).rejects.toMatchObject(notThere)
    const types = (await takeEvents()).map(({ type }) => type)
    expect(types.filter((type) => type.startsWith('delete:issue'))).toEqual([])
  })

  test('missing issues are not found; issues of other users are forbidden', async () => {
    const { job } = await setUp()
    const { id } = await create({ job })
    for (const call of [
      () => issues.getIssue({ id: 999_999 }, anna.call),
      () => patch(999_999, {}),
      () => issues.deleteIssue({ id: 999_999 }, anna.call),
    ])
      await expect(call()).rejects.toMatchObject(notThere)
    for (const call of [
      () => issues.getIssue({ id }, bo.call),
      () => patch(id, {}, bo),
      () => issues.deleteIssue({ id }, bo.call),
      () => create({ job }, bo),
    ])
      await expect(call()).rejects.toMatchObject(forbidden)
  })

  test('concurrent changes at all levels wait for each other', async () => {
    const { job, task_id } = await setUp()
    const issue = await create({ job })
    const comment = (message: string) =>
      issues.createComment({ body: { issue: issue.id, message } }, anna.call)
    const { id } = await comment('first')
    await Promise.all([
      comment('second'),
      comment('third'),
      issues.updateComment({ id, body: { message: 'changed' } }, anna.call),
      patch(issue.id, { resolved: true }),
      jobs.updateJob({ id: job, body: { state: 'completed' } }, anna.call),
      tasks.updateTask({ id: task_id, body: { name: 'renamed' } }, anna.call),
    ])
    expect(await get(issue.id)).toMatchObject({ resolved: true, comments: { count: 4 } })
  })
})

describe('lists of issues', async () => {
  const services = over('in-process')
  const { issues } = services
  const owner = await addUser()
  const { job, other_job, task_id } = await addReview(services, owner)
  const body = { position: box, message: 'm' }
  const first = await issues.createIssue({ body: { ...body, job, frame: 1 } }, owner.call)
  const second = await issues.createIssue(
    { body: { ...body, job: other_job, frame: 2, resolved: true, assignee: owner.id } },
    owner.call,
  )
  await db.updateTable('issues').set({ owner_id: bo.id }).where('id', '=', second.id).execute()
  const ids = async (query: Parameters<typeof issues.listIssues>[0], user = owner) => {
    const { count, results } = await issues.listIssues({ task_id, ...query }, user.call)
    expect(count).toBe(results.length)
    return results.map(({ id }) => id)
  }
  const all = [second.id, first.id]

  test.each([
    [{}, all],
    [{ id: first.id }, [first.id]],
    [{ owner: owner.username }, [first.id]],
    [{ assignee: owner.username }, [second.id]],
    [{ job_id: job }, [first.id]],
    [{ resolved: true }, [second.id]],
    [{ resolved: false }, [first.id]],
    [{ frame_id: 1 }, [first.id]],
    [{ task_id: 999_999 }, []],
    [{ sort: 'id' }, [first.id, second.id]],
    [{ sort: 'assignee' }, [second.id, first.id]],
  ])('are filtered and sorted by %j', async (query, expected) => {
    expect(await ids(query)).toEqual(expected)
  })

  test('can be sorted by activity', async () => {
    await issues.createComment({ body: { issue: first.id, message: 'm' } }, owner.call)
    expect(await ids({ sort: '-updated_date' })).toEqual([first.id, second.id])
    expect(await ids({ sort: '-created_date' })).toEqual(all)
  })

  test('contain own issues and those of own jobs and tasks; administrators see all', async () => {
    expect(await ids({}, bo)).toEqual([second.id])
    expect(await ids({}, anna)).toEqual([])
    expect(await ids({}, admin)).toEqual(all)
    await db.updateTable('jobs').set({ assignee_id: anna.id }).where('id', '=', job).execute()
    expect(await ids({}, anna)).toEqual([first.id])
  })

  test('need as many statements for many rows as for few', async () => {
    const counted = async (page_size: string) => {
      const { db: watched, statements } = countStatements(db)
      await over('in-process', watched).issues.listIssues({ page_size }, admin.call)
      return statements()
    }
    expect(await counted('100')).toBe(await counted('1'))
  })
})
