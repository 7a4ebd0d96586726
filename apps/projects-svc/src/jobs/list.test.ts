import { jobList } from '@reticle/contracts/rest/jobs'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { testWorkspace } from '../testing/workspace.ts'

/** Filters and sorting of the list of jobs. */

const { db, addUser, over } = await testWorkspace()
const [anna, bo, admin] = [await addUser(), await addUser(), await addUser('admin')]

const project = await db
  .insertInto('projects')
  .values({ name: 'Harbour', owner_id: anna.id })
  .returning('id')
  .executeTakeFirstOrThrow()
const addTask = (name: string, project_id: number | null, mode: 'annotation' | 'interpolation') =>
  db
    .insertInto('tasks')
    .values({ name, project_id, mode, owner_id: anna.id })
    .returning('id')
    .executeTakeFirstOrThrow()
const quay = await addTask('Quay', project.id, 'annotation')
const road = await addTask('Road', null, 'interpolation')

const addJob = async (given: object) => {
  const job = { task_id: quay.id, start_frame: 0, stop_frame: 4, ...given }
  return (await db.insertInto('jobs').values(job).returning('id').executeTakeFirstOrThrow()).id
}
const created_date = '2026-03-01T10:00:00Z'
const first = await addJob({ assignee_id: bo.id, state: 'in progress', created_date })
const second = await addJob({ stage: 'validation', start_frame: 5, stop_frame: 5 })
const replica = await addJob({ type: 'consensus_replica', parent_job_id: first })
const other = await addJob({ task_id: road.id, state: 'completed', assignee_id: anna.id })
const all = [other, replica, second, first]

/** Parses the query as the gateway does, with `filter` as JSON. */
const read = ({ filter, ...query }: Record<string, unknown>) =>
  jobList.parse({ ...query, ...(filter !== undefined && { filter: JSON.stringify(filter) }) })

describe.each(transports)('over %s', (transport) => {
  const { jobs } = over(transport)
  const found = async (query: Record<string, unknown>, user = admin) =>
    (await jobs.listJobs(read(query), user.call)).results.map(({ id }) => id)

  test.each([
    ['quay', [replica, second, first]],
    ['harbour progress', [first]],
    [bo.username, [first]],
    ['completed', [other]],
    ['validation', [second]],
    ['consensus', []],
  ])('a search for %s finds the matching jobs', async (search, expected) => {
    expect(await found({ search })).toEqual(expected)
  })

  test.each([
    ['id', first, [first]],
    ['task_id', road.id, [other]],
    ['project_id', project.id, [replica, second, first]],
    ['task_name', 'Road', [other]],
    ['project_name', 'Harbour', [replica, second, first]],
    ['assignee', bo.username, [first]],
    ['state', 'in progress', [first]],
    ['stage', 'validation', [second]],
    ['type', 'consensus_replica', [replica]],
    ['parent_job_id', first, [replica]],
    ['dimension', '2d', all],
    ['mode', 'interpolation', [other]],
  ])(
    '%s equal to %s works as a simple filter and in an expression',
    async (name, value, expected) => {
      expect(await found({ [name]: String(value) })).toEqual(expected)
      expect(await found({ filter: { '==': [{ var: name }, value] } })).toEqual(expected)
    },
  )

  test.each([
    [{ '==': [{ var: 'frame_count' }, 1] }, [second]],
    [{ in: [{ var: 'frame_count' }, [1, 2]] }, [second]],
    [{ '<': [{ var: 'created_date' }, '2026-03-02'] }, [first]],
    [{ '>': [{ var: 'updated_date' }, '2026-01-01'] }, all],
    [{ '!': { var: 'parent_job_id' } }, [other, second, first]],
  ])('%j filters the jobs', async (filter, expected) => {
    expect(await found({ filter })).toEqual(expected)
  })

  test.each([
    ['created_date', [first, second, replica, other]],
    ['parent_job_id', [replica, first, second, other]],
    ['-stage,id', [second, first, replica, other]],
    ['frame_count', all],
  ])('jobs are sorted by %s', async (sort, expected) => {
    expect(await found({ sort })).toEqual(expected)
  })

  test('names of a hidden task or project cannot be searched or filtered by', async () => {
    expect(await found({}, bo)).toEqual([first])
    for (const query of [
      { task_name: 'Quay' },
      { project_name: 'Harbour' },
      { search: 'quay' },
      { search: 'harbour' },
      { filter: { in: ['a', { var: 'task_name' }] } },
      { filter: { or: [{ var: 'task_name' }, { var: 'project_name' }] } },
    ]) {
      expect(await found(query, bo)).toEqual([])
      expect(await found(query, anna)).toContain(first)
    }
  })
})

test('a filtered query needs no more statements than a plain one', async () => {
  const counted = async (query: Record<string, unknown>) => {
    const { db: watched, statements } = countStatements(db)
    await over('in-process', watched).jobs.listJobs(read(query), admin.call)
    return statements()
  }
  const filter = { or: [{ in: ['a', { var: 'task_name' }] }, { '>': [{ var: 'frame_count' }, 0] }] }
  expect(await counted({ filter, search: 'a', sort: 'assignee' })).toBe(await counted({}))
})
