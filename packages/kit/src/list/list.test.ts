import { listFields, listOf } from '@reticle/contracts/rest/lists'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { Migrations } from '../db/migrate.ts'
import { countStatements } from '../testing/count-statements.ts'
import { testDb } from '../testing/db.ts'
import { type ColumnsOf, listPage } from './list.ts'

/** Lists with simple filters, search and sorting. See docs/spec/rest.md#lists. */

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

const fields = listFields({
  equal: { id: 'integer', name: 'text', owner: 'text' },
  more: { width: 'integer' },
  search: ['name', 'owner'],
  unsorted: ['width'],
  order: '-id',
})
const query = listOf(fields)
type Query = z.infer<typeof query>
const columns = {
  id: 'boxes.box_id',
  name: 'boxes.title',
  owner: 'owner.username',
  width: sql<number>`(boxes.box_id * 10)`,
} as const satisfies ColumnsOf<typeof fields>

const boxes = (on = db) =>
  on
    .selectFrom('boxes')
    .leftJoin('people as owner', 'owner.id', 'boxes.owner_id')
    .select(['boxes.box_id', 'owner.username'])
const listed = (asked: Query, rows = boxes()) => listPage(rows, asked, fields, columns)
const ids = async (asked: Query) => (await listed(asked)).results.map((box) => box.box_id)
const filtered = (given: object) => query.parse({ filter: JSON.stringify(given) })

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
  [{ sort: 'width' }, [3, 2, 1]],
  [{ owner: 'Anna' }, []],
  [{ search: 'ANNA' }, [3, 1]],
  [{ search: 'ann b' }, [3, 1]],
  [{ search: 'anna a' }, [3, 1]],
  [{ search: 'x' }, []],
  [filtered({ '==': [{ var: 'name' }, 'b'] }), [3, 1]],
  [filtered({ '>': [{ var: 'width' }, 15] }), [3, 2]],
  [filtered({ '!': { var: 'owner' } }), [2]],
])('%j finds %j', async (asked, expected) => {
  expect(await ids(asked)).toEqual(expected)
})

test('all conditions of a query must hold', async () => {
  const both = { ...filtered({ '>': [{ var: 'id' }, 1] }), name: 'b', search: 'anna' }
  expect(await ids(both)).toEqual([3])
  expect(await ids({ ...both, name: 'a' })).toEqual([])
  expect(await ids({ ...both, search: 'bo' })).toEqual([])
  expect((await listed({ ...both, page_size: '1' })).count).toBe(1)
})

test('rows contain the selected columns, and the count covers all pages', async () => {
  expect(await listed({ name: 'b', page_size: '1' })).toEqual({
    count: 2,
    results: [{ box_id: 3, username: 'anna' }],
  })
})

test('unknown query keys are ignored', async () => {
  const asked = { name: 'b', colour: 'red' }
  expect((await listed(asked)).count).toBe(2)
})

test('a list takes two statements, and one if the page does not exist', async () => {
  const { db: watched, statements } = countStatements(db)
  const { filter } = filtered({ or: [{ var: 'name' }, { in: [{ var: 'id' }, [1, 2]] }] })
  await listed({ name: 'b', search: 'a', filter, sort: 'owner,name' }, boxes(watched))
  expect(statements()).toBe(2)
  const past = listed({ page: '9' }, boxes(watched))
  await expect(past).rejects.toMatchObject({ kind: 'not_found' })
  expect(statements()).toBe(3)
})

describe('compile-time checks of a list', () => {
  const none: Query = {}
  const { owner, ...fewer } = columns

  test('a declared field without a column does not compile', () => {
    // @ts-expect-error "owner" has no column
    const forgotten = fewer satisfies ColumnsOf<typeof fields>
    // @ts-expect-error the call is checked as well
    const asked = () => listPage(boxes(), none, fields, fewer)
    void [forgotten, asked, owner]
  })

  test('a column of an undeclared field does not compile', () => {
    // @ts-expect-error the list does not declare "colour"
    const unasked = { ...columns, colour: 'boxes.title' } satisfies ColumnsOf<typeof fields>
    void unasked
  })

  test('a column that the rows lack does not compile', () => {
    const wrong = { ...columns, name: 'boxes.colour' } as const
    const stranger = { ...columns, owner: 'people.username' } as const
    // @ts-expect-error boxes have no colour
    const coloured = () => listPage(boxes(), none, fields, wrong)
    // @ts-expect-error this table is joined under another name
    const joined = () => listPage(boxes(), none, fields, stranger)
    void [coloured, joined]
  })

  test('a query of another list does not compile', () => {
    const others = listFields({ equal: { id: 'integer', size: 'integer' }, more: {}, order: 'id' })
    const given: z.infer<ReturnType<typeof listOf<typeof others.equal, typeof others.more>>> = {}
    // @ts-expect-error its filter can name a size
    const asked = () => listPage(boxes(), given, fields, columns)
    void asked
  })

  test('an unknown sort or search key, or a list without an id, does not compile', () => {
    const equal = { id: 'integer', name: 'text' } as const
    // @ts-expect-error the list cannot be sorted by colour
    void listFields({ equal, more: {}, order: '-colour' })
    // @ts-expect-error the list cannot be searched by colour
    void listFields({ equal, more: {}, search: ['colour'], order: 'id' })
    // @ts-expect-error pages need an id as the last sort key
    void listFields({ equal: { name: 'text' }, more: {}, order: 'name' })
  })
})
