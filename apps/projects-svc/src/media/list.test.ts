import { frameSearch } from '@reticle/contracts/rest/media'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { testOrganizations } from '../testing/organizations.ts'
import { frameAt, frameLines } from '../testing/workspace.ts'
import { fillFrameNames } from './repo-names.ts'

/** Search of frames by file name. */

const workspace = await testOrganizations()
const { db, addUser, over } = workspace
const [anna, bo, admin] = [await addUser(), await addUser(), await addUser('admin')]
const services = over('in-process')

/** Adds a task whose frames have these names. */
async function addTask(user: typeof anna, names: readonly string[], given: object = {}) {
  const body = { name: 't', ...given }
  const { id: task_id } = await services.tasks.createTask({ body }, user.call)
  const frames = names.map((name, index) => frameAt(index, { name }))
  const query = { task_id, call_id: `attach-${task_id}`, image_quality: 70, chunk_size: 36 }
  await services.media.attachMedia({ ...query, body: frameLines(frames) }, user.call)
  return task_id
}

const { id: project_id } = await services.projects.createProject({ body: { name: 'p' } }, anna.call)
const street = await addTask(anna, ['Street/0001.jpg', 'street/0002.jpg', 'café_100%.png'], {
  project_id,
  segment_size: 2,
  overlap: 1,
})
const harbour = await addTask(anna, ['harbour/0001.jpg', 'harbour/0002.jpg'])
const night = await addTask(bo, ['night/street-0001.jpg'])

describe.each(transports)('over %s', (transport) => {
  const { media, tasks, jobs } = over(transport)
  const attempt = (query: Record<string, unknown>, user = anna) =>
    media.listFrames(frameSearch.parse(query), user.call)
  const found = async (query: Record<string, unknown>, user = anna) =>
    (await attempt(query, user)).results.map(({ task_id, frame }) => [task_id, frame])

  test('a found frame has its number and the jobs that contain it', async () => {
    const { results } = await jobs.listJobs({ task_id: street, sort: 'id' }, anna.call)
    const job_ids = results.map(({ id }) => id)
    expect(job_ids).toHaveLength(2)
    expect(await attempt({ search: '0002.jpg', project_id })).toEqual({
      count: 1,
      results: [{ task_id: street, job_ids, frame: 1, name: 'street/0002.jpg' }],
    })
    const [first] = job_ids
    const { results: rows } = await attempt({ search: 'street/0001' })
    expect(rows).toMatchObject([{ frame: 0, job_ids: [first] }])
  })

  test.each([
    [
      'STREET',
      [
        [street, 0],
        [street, 1],
      ],
    ],
    [
      '0001',
      [
        [harbour, 0],
        [street, 0],
      ],
    ],
    ['0001 harbour', [[harbour, 0]]],
    ['"bour/0002"', [[harbour, 1]]],
    ['CAFÉ', [[street, 2]]],
    ['100%', [[street, 2]]],
    ['0%1', []],
    ['_100', [[street, 2]]],
    ['\\.jpg', []],
  ])('a search for %s finds the matching frames', async (search, expected) => {
    expect(await found({ search })).toEqual(expected)
  })

  test('a search in a project or task is limited to it and accepts short terms', async () => {
    expect(await found({ search: '0001', project_id })).toEqual([[street, 0]])
    expect(await found({ search: '1', task_id: harbour })).toEqual([[harbour, 0]])
    expect(await found({ search: 'jpg', project_id, task_id: harbour })).toEqual([])
    expect(await found({ search: 'jpg', project_id: '' })).toHaveLength(4)
  })

  test.each([
    ['', 'This field may not be blank.'],
    [' ,', 'This field may not be blank.'],
    ['01', 'Give a term of at least 3 characters'],
    ['0 1', 'Give a term of at least 3 characters'],
  ])('the search %j is rejected', async (search, text) => {
    await expect(attempt({ search })).rejects.toMatchObject({
      kind: 'invalid',
      body: { search: [expect.stringContaining(text)] },
    })
  })

  test('a user who may not view the task finds none of its frames', async () => {
    expect(await found({ search: 'street' }, bo)).toEqual([[night, 0]])
    expect(await found({ search: 'street', project_id }, bo)).toEqual([])
    expect(await found({ search: 'street' }, admin)).toEqual([
      [night, 0],
      [street, 0],
      [street, 1],
    ])
  })

  test('in organizations members find frames of their tasks and leaders find all', async () => {
    const { addOrganization, addMember, as } = workspace
    const { id: organization_id, owner } = await addOrganization()
    const [worker, other] = [
      await addMember(organization_id, 'worker'),
      await addMember(organization_id, 'worker'),
    ]
    const task = await addTask(owner, ['acme/0001.jpg'])
    await db
      .updateTable('tasks')
      .set({ organization_id, assignee_id: worker.id })
      .where('id', '=', task)
      .execute()
    const search = async (user: typeof owner, scope?: number | null) =>
      (await media.listFrames({ search: 'acme' }, await as(user, scope))).count
    expect(await search(owner)).toBe(1)
    expect(await search(owner, organization_id)).toBe(1)
    expect(await search(owner, null)).toBe(0)
    expect(await search(worker, organization_id)).toBe(1)
    expect(await search(other, organization_id)).toBe(0)
    await db.deleteFrom('tasks').where('id', '=', task).execute()
  })

  test('a ground-truth job is listed only for the frames that it contains', async () => {
    const truth = { type: 'ground_truth' as const, frame_selection_method: 'manual' as const }
    const task_id = await addTask(anna, ['truth/1.jpg', 'truth/2.jpg'])
    const { id } = await jobs.createJob({ body: { ...truth, task_id, frames: [1] } }, anna.call)
    const { results } = await attempt({ search: 'truth' })
    expect(results.map(({ job_ids }) => job_ids.includes(id))).toEqual([false, true])
    await tasks.deleteTask({ id: task_id }, anna.call)
    expect(await found({ search: 'truth' })).toEqual([])
  })

  test('results are paged, newest task first', async () => {
    const page = { search: 'jpg', page_size: '2' }
    expect(await found(page)).toEqual([
      [harbour, 0],
      [harbour, 1],
    ])
    expect(await found({ ...page, page: '2' })).toEqual([
      [street, 0],
      [street, 1],
    ])
    await expect(attempt({ ...page, page: '3' })).rejects.toMatchObject({ kind: 'not_found' })
  })
})

test('a search needs two statements', async () => {
  const { db: watched, statements } = countStatements(db)
  await over('in-process', watched).media.listFrames({ search: 'street' }, anna.call)
  expect(statements()).toBe(2)
})

test('a selective search in many frames uses the index', async () => {
  await sql`insert into frame_names (task_id, first_frame, names)
    select ${night}, 128 * number, repeat('many/' || number || '.jpg', 60) from generate_series(1, 3000) number`.execute(
    db,
  )
  await sql`analyze frame_names`.execute(db)
  const { rows } = await sql<Record<string, string>>`
    explain select from frame_names where names ilike '%ght/street%'`.execute(db)
  expect(JSON.stringify(rows)).toContain('frame_names_names_idx')
})

test('frames attached before the search existed are found after the names are filled in', async () => {
  await addTask(
    bo,
    Array.from({ length: 300 }, (_, index) => `old/${index}.jpg`),
  )
  const all = async () => {
    const query = { search: 'old/1', page_size: 'all' }
    const { results } = await over('in-process').media.listFrames(query, bo.call)
    return results.map(({ frame }) => frame)
  }
  const before = await all()
  expect(before).toHaveLength(111)
  await db.deleteFrom('frame_names').execute()
  expect(await all()).toEqual([])
  expect(await fillFrameNames(db)).toBe(4)
  expect(await all()).toEqual(before)
  expect(await fillFrameNames(db)).toBe(0)
})
