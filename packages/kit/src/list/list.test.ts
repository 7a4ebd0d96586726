import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Migrations } from '../db/migrate.ts'
import { counting } from '../testing/counting.ts'
import { testDb } from '../testing/db.ts'
import { type FiltersOf, type ListQuery, listPage } from './list.ts'

/** `spec/api-workspace.md` 1.5. */

interface Tables {
  boxes: { box_id: number; title: string; owner_id: number | null }
  people: { id: number; username: string }
}
const migrations: Migrations = {
  '0001-boxes': {
    up: async (db) => {
      await sql`create table people (id integer, username text)`.execute(db)
      await sql`create table boxes (box_id integer, title text, owner_id integer)`.execute(db)
    },
  },
}
const db = await testDb<Tables>(migrations, 'lists')
await db.insertInto('people').values({ id: 7, username: 'anna' }).execute()
for (const [box_id, title, owner_id] of [
  [1, 'b', 7],
  [2, 'a', null],
  [3, 'b', 7],
] as const)
  await db.insertInto('boxes').values({ box_id, title, owner_id }).execute()

type Query = ListQuery & { id?: number; name?: string; owner?: string }
const filters = {
  id: 'boxes.box_id',
  name: 'boxes.title',
  owner: 'owner.username',
} as const satisfies FiltersOf<Query>

const boxes = (on = db) =>
  on
    .selectFrom('boxes')
    .leftJoin('people as owner', 'owner.id', 'boxes.owner_id')
    .select(['boxes.box_id', 'owner.username'])
const listed = (query: Query, rows = boxes()) =>
  listPage(rows, query, { filters, sorts: filters, order: '-id' })
const ids = async (query: Query) => (await listed(query)).results.map((box) => box.box_id)

test.each([
  [{}, [3, 2, 1]],
  [{ name: 'b' }, [3, 1]],
  [{ name: 'b', id: 1 }, [1]],
  [{ name: "b' or true" }, []],
  [{ name: '' }, []],
  [{ owner: 'anna', page_size: '1', page: '2' }, [1]],
  [{ sort: 'name,-id' }, [2, 3, 1]],
  [{ sort: 'name,colour' }, [2, 1, 3]],
  [{ sort: 'owner' }, [1, 3, 2]],
  [{ sort: '-owner' }, [2, 3, 1]],
])('%j finds %j', async (query, expected) => {
  expect(await ids(query)).toEqual(expected)
})

test('rows come as they were selected, the count is of all pages', async () => {
  expect(await listed({ name: 'b', page_size: '1' })).toEqual({
    count: 2,
    results: [{ box_id: 3, username: 'anna' }],
  })
})

test('keys that are no filters of the list are ignored', async () => {
  const query = { name: 'b', colour: 'red' }
  expect((await listed(query)).count).toBe(2)
})

test('two statements are enough, and one where the page does not exist', async () => {
  const { db: watched, statements } = counting(db)
  await listed({ name: 'b', sort: 'owner,name' }, boxes(watched))
  expect(statements()).toBe(2)
  const past = listed({ page: '9' }, boxes(watched))
  await expect(past).rejects.toMatchObject({ kind: 'not_found' })
  expect(statements()).toBe(3)
})

describe('what does not compile', () => {
  const none: Query = {}
  const { owner, ...fewer } = filters
  const list = { filters, sorts: filters, order: 'id' } as const

  test('a filter that is declared and forgotten', () => {
    // @ts-expect-error there is no column of "owner"
    const forgotten = fewer satisfies FiltersOf<Query>
    // @ts-expect-error the call looks as well
    const asked = () => listPage(boxes(), none, { ...list, filters: fewer })
    void [forgotten, asked, owner]
  })

  test('a filter that is not declared', () => {
    // @ts-expect-error nobody can ask for "colour"
    const unasked = { ...fewer, owner, colour: 'boxes.title' } satisfies FiltersOf<Query>
    // @ts-expect-error every list has it
    const page = { ...fewer, owner, page: 'boxes.title' } satisfies FiltersOf<Query>
    void [unasked, page]
  })

  test('a column that the rows do not have', () => {
    const wrong = { ...filters, name: 'boxes.colour' } as const
    const stranger = { ...filters, owner: 'people.username' } as const
    // @ts-expect-error boxes have no colour
    const filtered = () => listPage(boxes(), none, { ...list, filters: wrong })
    // @ts-expect-error this table is joined under another name
    const sorted = () => listPage(boxes(), none, { ...list, sorts: stranger })
    void [filtered, sorted]
  })

  test('an order by a name that the list does not have, a list without ids', () => {
    // @ts-expect-error no list is sorted by colour
    const unknown = () => listPage(boxes(), none, { ...list, order: '-colour' })
    const { id, ...others } = filters
    // @ts-expect-error pages need a last key
    const unstable = () => listPage(boxes(), none, { ...list, sorts: others, order: 'name' })
    void [unknown, unstable, id]
  })
})
