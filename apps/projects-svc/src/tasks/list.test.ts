import { taskList } from '@reticle/contracts/rest/tasks'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { testWorkspace } from '../testing/workspace.ts'

/** Filters and sorting of the list of tasks. */

const { db, addUser, over } = await testWorkspace()
const [anna, bo, admin] = [await addUser(), await addUser(), await addUser('admin')]

const project = await db
  .insertInto('projects')
  .values({ name: 'Harbour', owner_id: anna.id })
  .returning('id')
  .executeTakeFirstOrThrow()
const made = [
  {
    name: 'Batch 1',
    owner_id: anna.id,
    project_id: project.id,
    assignee_id: bo.id,
    subset: 'Train',
    bug_tracker: 'https://tracker.example/1',
    size: 10,
    mode: 'annotation' as const,
    status: 'validation' as const,
  },
  { name: 'Batch 2', owner_id: bo.id, size: 3, mode: 'interpolation' as const },
  { name: 'Other', owner_id: bo.id, dimension: '3d' as const },
]
const ids: number[] = []
for (const [index, task] of made.entries()) {
  const created_date = new Date(`2026-03-0${index + 1}T10:00:00Z`)
  const query = db
    .insertInto('tasks')
    .values({ ...task, created_date })
    .returning('id')
  ids.push((await query.executeTakeFirstOrThrow()).id)
}
const [first = 0, second = 0, third = 0] = ids
const all = [third, second, first]

/** Parses the query as the gateway does, with `filter` as JSON. */
const read = ({ filter, ...query }: Record<string, unknown>) =>
  taskList.parse({ ...query, ...(filter !== undefined && { filter: JSON.stringify(filter) }) })

describe.each(transports)('over %s', (transport) => {
  const { tasks } = over(transport)
  const found = async (query: Record<string, unknown>, user = admin) =>
    (await tasks.listTasks(read(query), user.call)).results.map(({ id }) => id)

  test.each([
    ['batch', [second, first]],
    ['harbour', [first]],
    [anna.username, [first]],
    [`${bo.username} batch`, [second, first]],
    ['train', [first]],
    ['tracker.example', [first]],
    ['validat', [first]],
    ['interpol', [second]],
    ['3d', [third]],
    ['gt', []],
  ])('a search for %s finds the matching tasks', async (search, expected) => {
    expect(await found({ search })).toEqual(expected)
  })

  test.each([
    ['id', first, [first]],
    ['project_id', project.id, [first]],
    ['project_name', 'Harbour', [first]],
    ['name', 'Batch 2', [second]],
    ['owner', anna.username, [first]],
    ['assignee', bo.username, [first]],
    ['status', 'validation', [first]],
    ['subset', 'Train', [first]],
    ['subset', 'train', []],
    ['mode', 'interpolation', [second]],
    ['dimension', '3d', [third]],
    ['tracker_link', 'https://tracker.example/1', [first]],
    ['validation_mode', 'gt', []],
  ])(
    '%s equal to %s works as a simple filter and in an expression',
    async (name, value, expected) => {
      expect(await found({ [name]: String(value) })).toEqual(expected)
      expect(await found({ filter: { '==': [{ var: name }, value] } })).toEqual(expected)
    },
  )

  test.each([
    [{ '>': [{ var: 'size' }, 3] }, [first]],
    [{ '<=': [1, { var: 'size' }, 10] }, [second, first]],
    [{ '<=': ['2026-03-02', { var: 'created_date' }, '2026-03-03'] }, [second]],
    [{ '>': [{ var: 'updated_date' }, '2026-01-01'] }, all],
    [{ '==': [{ var: 'validation_mode' }, null] }, all],
    [{ in: [{ var: 'project_id' }, [project.id, null]] }, all],
  ])('%j filters the tasks', async (filter, expected) => {
    expect(await found({ filter })).toEqual(expected)
  })

  test.each([
    ['created_date', [first, second, third]],
    ['project_name', [first, second, third]],
    ['validation_mode,name', [first, second, third]],
    ['-tracker_link,id', [first, second, third]],
    ['size', all],
  ])('tasks are sorted by %s', async (sort, expected) => {
    expect(await found({ sort })).toEqual(expected)
  })

  test('the name of a hidden project cannot be searched or filtered by', async () => {
    expect(await found({}, bo)).toEqual(all)
    for (const query of [
      { project_name: 'Harbour' },
      { search: 'harbour' },
      { filter: { in: ['harb', { var: 'project_name' }] } },
      { filter: { var: 'project_name' } },
    ]) {
      expect(await found(query, bo)).toEqual([])
      expect(await found(query, anna)).toEqual([first])
    }
  })
})

test('a filtered query needs no more statements than a plain one', async () => {
  const counted = async (query: Record<string, unknown>) => {
    const { db: watched, statements } = countStatements(db)
    await over('in-process', watched).tasks.listTasks(read(query), admin.call)
    return statements()
  }
  const filter = { or: [{ in: ['a', { var: 'project_name' }] }, { '>=': [{ var: 'size' }, 0] }] }
  expect(await counted({ filter, search: 'b', sort: 'owner' })).toBe(await counted({}))
})
