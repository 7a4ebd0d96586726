import { labelList } from '@reticle/contracts/rest/labels'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { testWorkspace } from '../testing/workspace.ts'
import { listLabelsById } from './repo.ts'

/** Filters and sorting of the list of labels. */

const { addUser, over, db } = await testWorkspace()
const [anna, admin] = [await addUser(), await addUser('admin')]
const { projects } = over('in-process')
const labels = [
  { name: 'car', color: '#000001', type: 'rectangle' as const },
  { name: 'night car', color: '#000002' },
  { name: 'person', type: 'skeleton' as const, sublabels: [{ name: 'head' }, { name: 'foot' }] },
]
const project = await projects.createProject({ body: { name: 'p', labels } }, anna.call)
const [car, , person] = project.labels
const personId = person?.id ?? 0

/** Parses the query as the gateway does, with `filter` as JSON. */
const read = ({ filter, ...query }: Record<string, unknown>) =>
  labelList.parse({ ...query, ...(filter !== undefined && { filter: JSON.stringify(filter) }) })

describe.each(transports)('over %s', (transport) => {
  const { labels } = over(transport)
  const found = async (query: Record<string, unknown>) =>
    (await labels.listLabels(read(query), anna.call)).results.map(({ name }) => name)

  test.each([
    ['CAR', ['car', 'night car']],
    ['"night car"', ['night car']],
    ['car night', ['night car']],
    ['head', []],
  ])('a search for %s finds the matching labels', async (search, expected) => {
    expect(await found({ search })).toEqual(expected)
  })

  test.each([
    ['id', car?.id, ['car']],
    ['name', 'car', ['car']],
    ['name', 'CAR', []],
    ['type', 'rectangle', ['car']],
    ['color', '#000002', ['night car']],
    ['parent', 'person', ['head', 'foot']],
    ['parent_id', personId, ['head', 'foot']],
  ])(
    '%s equal to %s works as a simple filter and in an expression',
    async (name, value, expected) => {
      expect(await found({ [name]: String(value) })).toEqual(expected)
      expect(await found({ filter: { '==': [{ var: name }, value] } })).toEqual(expected)
    },
  )

  test('an expression is limited to the labels of the requested owner', async () => {
    const filter = { in: ['car', { var: 'name' }] }
    expect(await found({ filter, project_id: project.id })).toEqual(['car', 'night car'])
    const body = { name: 'q', labels: [{ name: 'red car' }] }
    const { id } = await projects.createProject({ body }, anna.call)
    expect(await found({ filter, project_id: id })).toEqual(['red car'])
    await projects.deleteProject({ id }, anna.call)
  })

  test('sublabels are listed only when the query names a parent', async () => {
    expect(await found({ filter: { var: 'id' } })).toEqual(['car', 'night car', 'person'])
    const filter = { and: [{ var: 'parent' }, { '==': [{ var: 'name' }, 'foot'] }] }
    expect(await found({ filter })).toEqual(['foot'])
    expect(await found({ sort: '-name' })).toEqual(['person', 'night car', 'car'])
    expect(await found({ parent_id: String(personId), sort: 'name' })).toEqual(['foot', 'head'])
  })
})

test('a filtered query needs no more statements than a plain one', async () => {
  const counted = async (query: Record<string, unknown>) => {
    const { db: watched, statements } = countStatements(db)
    await over('in-process', watched).labels.listLabels(read(query), admin.call)
    return statements()
  }
  const filter = { or: [{ in: ['a', { var: 'name' }] }, { '>': [{ var: 'id' }, 0] }] }
  expect(await counted({ filter, search: 'car', sort: 'type' })).toBe(await counted({}))
})

test.each([
  [1, 1],
  [500, 1],
  [501, 2],
  [1750, 4],
])(
  '%i labels are read with %i queries, in the order of the requested ids',
  async (count, queries) => {
    const labels = Array.from({ length: count - 1 }, (_, index) => ({ name: `label ${index}` }))
    const skeleton = { name: 'last', type: 'skeleton' as const, sublabels: [{ name: 'joint' }] }
    const body = { name: 'many', labels: [...labels, skeleton] }
    const made = await projects.createProject({ body }, anna.call)
    const ids = made.labels.map(({ id }) => id).reverse()
    const { db: watched, statements } = countStatements(db)
    const found = await listLabelsById(watched, ids)
    expect(found.map(({ id }) => id)).toEqual(ids)
    expect(found[0]?.sublabels).toHaveLength(1)
    expect(statements()).toBe(queries)
  },
)
