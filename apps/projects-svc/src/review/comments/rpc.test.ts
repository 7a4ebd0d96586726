import { recordTag } from '@reticle/kit/call/etag'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { addReview } from '../../testing/review.ts'
import { testWorkspace } from '../../testing/workspace.ts'

/** Calls on comments. Permissions are tested in `issues/policy.test.ts`. */

const { db, addUser, over, takeEvents } = await testWorkspace()
const [anna, bo, admin] = [await addUser(), await addUser(), await addUser('admin')]
const forbidden = { kind: 'forbidden' }
const notThere = { kind: 'not_found' }

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { issues } = services

  async function addIssue() {
    const { job, task_id, project_id } = await addReview(services, anna)
    const body = { job, frame: 0, position: [1, 2], message: 'first' }
    const issue = await issues.createIssue({ body }, anna.call)
    await takeEvents()
    return { issue, place: { task_id, project_id }, key: `task:${task_id}` }
  }
  const add = (issue: number, message = 'm', user = anna) =>
    issues.createComment({ body: { issue, message } }, user.call)
  const patch = (id: number, message: string | undefined, user = anna, if_match?: string) =>
    issues.updateComment({ id, body: { message }, if_match }, user.call)
  const issueOf = (id: number) => issues.getIssue({ id }, anna.call)

  test('a new comment increases the count of its issue and moves its date without an issue event', async () => {
    const { issue, place, key } = await addIssue()
    const made = await add(issue.id, 'Agreed')
    expect(made).toEqual({
      id: expect.any(Number),
      issue: issue.id,
      owner: expect.objectContaining({ id: anna.id }),
      message: 'Agreed',
      created_date: expect.any(String),
      updated_date: expect.any(String),
    })
    expect(await issues.getComment({ id: made.id }, anna.call)).toEqual(made)
    const after = await issueOf(issue.id)
    expect(after.comments.count).toBe(2)
    expect(after.updated_date > issue.updated_date).toBe(true)
    expect(await takeEvents()).toMatchObject([
      { type: 'create:comment', key, data: { comment: made, ...place } },
    ])
  })

  test('a changed comment emits its old values and moves the date of its issue', async () => {
    const { issue, place, key } = await addIssue()
    const before = await add(issue.id, 'old')
    const seen = await issueOf(issue.id)
    await takeEvents()
    const after = await patch(before.id, 'new')
    expect(after).toMatchObject({ ...before, message: 'new', updated_date: after.updated_date })
    const before_update = { message: 'old', updated_date: before.updated_date }
    expect(await takeEvents()).toMatchObject([
      { type: 'update:comment', key, data: { comment: after, before_update, ...place } },
    ])
    expect((await issueOf(issue.id)).updated_date > seen.updated_date).toBe(true)
  })

  test.each([undefined, 'same'])('a patch without effect (%s) emits no event', async (text) => {
    const { issue } = await addIssue()
    const before = await add(issue.id, 'same')
    const seen = await issueOf(issue.id)
    await takeEvents()
    expect(await patch(before.id, text)).toEqual(before)
    expect(await issueOf(issue.id)).toEqual(seen)
    expect(await takeEvents()).toEqual([])
  })

  test('deleting the last comment keeps the issue', async () => {
    const { issue, place, key } = await addIssue()
    const { results } = await issues.listComments({ issue_id: issue.id }, anna.call)
    const [comment] = results
    await issues.deleteComment({ id: comment?.id ?? 0 }, anna.call)
    expect(await takeEvents()).toMatchObject([
      { type: 'delete:comment', key, data: { comment, ...place } },
    ])
    const after = await issueOf(issue.id)
    expect(after.comments.count).toBe(0)
    expect(after.updated_date > issue.updated_date).toBe(true)
  })

  test('a missing issue is an invalid value; an issue of another user is forbidden', async () => {
    const { issue } = await addIssue()
    await expect(add(999_999)).rejects.toMatchObject({
      kind: 'invalid',
      body: { issue: ['Invalid pk "999999" - object does not exist.'] },
    })
    await expect(add(issue.id, 'm', bo)).rejects.toMatchObject(forbidden)
    expect(await takeEvents()).toEqual([])
  })

  test('a former staff member reads, changes and deletes their own comment but cannot add one', async () => {
    const { issue } = await addIssue()
    const { id } = await add(issue.id)
    await db.updateTable('comments').set({ owner_id: bo.id }).where('id', '=', id).execute()
    expect(await issues.getComment({ id }, bo.call)).toMatchObject({ owner: { id: bo.id } })
    expect(await patch(id, 'mine', bo)).toMatchObject({ message: 'mine' })
    await expect(add(issue.id, 'm', bo)).rejects.toMatchObject(forbidden)
    await issues.deleteComment({ id }, bo.call)
    await expect(issues.getComment({ id }, bo.call)).rejects.toMatchObject(notThere)
  })

  test('a stale If-Match is rejected', async () => {
    const { issue } = await addIssue()
    const before = await add(issue.id)
    await patch(before.id, 'changed', anna, recordTag(before))
    const late = { kind: 'precondition' }
    const tag = recordTag(before)
    await expect(patch(before.id, 'late', anna, tag)).rejects.toMatchObject(late)
    const removed = issues.deleteComment({ id: before.id, if_match: tag }, anna.call)
    await expect(removed).rejects.toMatchObject(late)
  })

  test('missing comments are not found; comments of other users are forbidden', async () => {
    const { issue } = await addIssue()
    const { id } = await add(issue.id)
    for (const call of [
      () => issues.getComment({ id: 999_999 }, anna.call),
      () => patch(999_999, 'x'),
      () => issues.deleteComment({ id: 999_999 }, anna.call),
    ])
      await expect(call()).rejects.toMatchObject(notThere)
    for (const call of [
      () => issues.getComment({ id }, bo.call),
      () => patch(id, 'x', bo),
      () => issues.deleteComment({ id }, bo.call),
    ])
      await expect(call()).rejects.toMatchObject(forbidden)
  })
})

describe('lists of comments', async () => {
  const services = over('in-process')
  const { issues } = services
  const owner = await addUser()
  const { job, other_job } = await addReview(services, owner)
  const body = { position: [1, 2], message: 'm' }
  const one = await issues.createIssue({ body: { ...body, job, frame: 1 } }, owner.call)
  const two = await issues.createIssue({ body: { ...body, job: other_job, frame: 2 } }, owner.call)
  const made = await issues.listComments({ sort: 'id' }, owner.call)
  const [first = 0, second = 0] = made.results.map(({ id }) => id)
  await db.updateTable('comments').set({ owner_id: bo.id }).where('id', '=', second).execute()
  const ids = async (query: Parameters<typeof issues.listComments>[0], user = owner) => {
    const { count, results } = await issues.listComments(query, user.call)
    expect(count).toBe(results.length)
    return results.map(({ id }) => id)
  }

  test.each([
    [{}, [second, first]],
    [{ id: first }, [first]],
    [{ owner: owner.username }, [first]],
    [{ issue_id: one.id }, [first]],
    [{ issue_id: two.id }, [second]],
    [{ job_id: other_job }, [second]],
    [{ frame_id: 1 }, [first]],
    [{ issue_id: 999_999 }, []],
    [{ sort: 'created_date' }, [first, second]],
  ])('are filtered and sorted by %j', async (query, expected) => {
    expect(await ids(query)).toEqual(expected)
  })

  test('contain own comments and those on own issues; administrators see all', async () => {
    expect(await ids({}, bo)).toEqual([second])
    expect(await ids({ job_id: job }, admin)).toEqual([first])
    const stranger = await addUser()
    expect(await ids({}, stranger)).toEqual([])
    await db
      .updateTable('issues')
      .set({ assignee_id: stranger.id })
      .where('id', '=', one.id)
      .execute()
    expect(await ids({}, stranger)).toEqual([first])
  })

  test('need as many statements for many rows as for few', async () => {
    const counted = async (page_size: string) => {
      const { db: watched, statements } = countStatements(db)
      await over('in-process', watched).issues.listComments({ page_size }, admin.call)
      return statements()
    }
    expect(await counted('100')).toBe(await counted('1'))
  })
})
