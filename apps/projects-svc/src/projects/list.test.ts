import { projectList } from '@reticle/contracts/rest/projects'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { testWorkspace } from '../testing/workspace.ts'

/** Filters and sorting of the list of projects. */

const { db, addUser, over } = await testWorkspace()
const [anna, bo, admin] = [await addUser(), await addUser(), await addUser('admin')]

const rows = [
  { name: 'Street scenes', owner_id: anna.id, status: 'completed' as const },
  { name: 'Night street', owner_id: anna.id, assignee_id: bo.id },
  { name: '50% of_it', owner_id: bo.id },
]
const ids: number[] = []
for (const [index, row] of rows.entries()) {
  const created_date = new Date(`2026-03-0${index + 1}T10:00:00Z`)
  const updated_date = new Date(`2026-04-0${3 - index}T10:00:00Z`)
  const stored = { ...row, created_date, updated_date }
  const query = db.insertInto('projects').values(stored).returning('id')
  ids.push((await query.executeTakeFirstOrThrow()).id)
}
const [first = 0, second = 0, third = 0] = ids

/** Parses the query as the gateway does, with `filter` as JSON. */
const read = ({ filter, ...query }: Record<string, unknown>) =>
  projectList.parse({ ...query, ...(filter !== undefined && { filter: JSON.stringify(filter) }) })

describe.each(transports)('over %s', (transport) => {
  const { projects } = over(transport)
  const found = async (query: Record<string, unknown>, user = admin) =>
    (await projects.listProjects(read(query), user.call)).results.map(({ id }) => id)
  const equals = (name: string, value: unknown) => ({ filter: { '==': [{ var: name }, value] } })

  test.each([
    ['a name', 'street', [second, first]],
    ['two terms in any order', 'STREET night', [second]],
    ['a phrase', '"night street"', [second]],
    ['a phrase that is none', '"street night"', []],
    ['signs of patterns', '%', [third]],
    ['an underscore', 'f_i', [third]],
    ['an owner', anna.username, [second, first]],
    ['an assignee', `street,${bo.username}`, [second]],
    ['a status', 'complet', [first]],
    ['nothing', ' , ', [third, second, first]],
  ])('a search finds %s', async (_, search, expected) => {
    expect(await found({ search })).toEqual(expected)
  })

  test.each([
    [{ id: String(second) }, [second]],
    [{ owner: anna.username }, [second, first]],
    [{ owner: anna.username.toUpperCase() }, []],
    [{ assignee: bo.username }, [second]],
    [{ assignee: bo.username.toUpperCase() }, []],
    [{ name: 'street scenes' }, []],
    [{ name: 'Street scenes', status: 'completed' }, [first]],
    [{ name: 'Street scenes', status: 'annotation' }, []],
    [{ owner: '', name: '' }, [third, second, first]],
  ])('simple filters %j are combined by equality', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test.each([
    [equals('id', first), [first]],
    [equals('name', 'Street scenes'), [first]],
    [equals('owner', bo.username), [third]],
    [equals('assignee', null), [third, first]],
    [equals('status', 'completed'), [first]],
    [equals('status', 'no such status'), []],
    [{ filter: { '>=': [{ var: 'created_date' }, '2026-03-02'] } }, [third, second]],
    [{ filter: { '<': [{ var: 'updated_date' }, '2026-04-02T00:00:00Z'] } }, [third]],
    [{ filter: { in: ['STREET', { var: 'name' }] }, status: 'annotation' }, [second]],
    [{ filter: { in: ['STREET', { var: 'name' }] }, search: 'scenes' }, [first]],
    [{ filter: { '!': { var: 'assignee' } }, sort: 'id' }, [first, third]],
  ])('%j filters the projects', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test.each([
    ['created_date', [first, second, third]],
    ['-created_date', [third, second, first]],
    ['updated_date', [third, second, first]],
    ['owner,-id', [second, first, third]],
    ['assignee', [second, first, third]],
    ['-assignee', [third, first, second]],
    ['nonsense', [third, second, first]],
  ])('projects are sorted by %s', async (sort, expected) => {
    expect(await found({ sort })).toEqual(expected)
  })

  test('no filter or search reveals hidden projects', async () => {
    const all = { filter: { or: [{ var: 'id' }, { '!': { var: 'id' } }] } }
    expect(await found(all, anna)).toEqual([second, first])
    expect(await found({ search: 'of_it' }, anna)).toEqual([])
  })
})

test('a filtered query needs no more statements than a plain one', async () => {
  const counted = async (query: Record<string, unknown>) => {
    const { db: watched, statements } = countStatements(db)
    await over('in-process', watched).projects.listProjects(read(query), admin.call)
    return statements()
  }
  const filter = { or: [{ in: ['street', { var: 'name' }] }, { in: [{ var: 'id' }, ids] }] }
  expect(await counted({ filter, search: 'street', sort: 'owner' })).toBe(await counted({}))
})
