import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../testing/db.ts'
import { copyIn, copyOut, emptyText } from './copy.ts'
import type { Migrations } from './migrate.ts'

interface Tables {
  lines: { id: number; note: string | null }
}
const migrations: Migrations = {
  '0001-lines': {
    up: async (db) => {
      await sql`create table lines (id integer primary key, note text)`.execute(db)
    },
  },
}
const { db, pool } = await testDatabase<Tables>([{ schema: 'copies', migrations }])
const lines = { table: 'lines', columns: ['id', 'note'] }

async function* chunks(...parts: (string | Error)[]): AsyncIterable<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part
    yield Buffer.from(part)
  }
}

const countLines = async () => {
  const { count } = await db
    .selectFrom('lines')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
const big = sql`select repeat('x', 1000) from generate_series(1, 1000000)`.compile(db)

test('rows with quotes, commas, empty text and null are copied in, from chunks cut anywhere', async () => {
  const given = chunks('1\x02[{"a":"b, \\\\', '"}]\n2\x02', `${emptyText}\n3\x02\n`)
  expect(await copyIn(db, lines, given)).toBe(3)
  expect(await db.selectFrom('lines').selectAll().orderBy('id').execute()).toEqual([
    { id: 1, note: '[{"a":"b, \\\\"}]' },
    { id: 2, note: '' },
    { id: 3, note: null },
  ])
})

test('rows are copied out in the form in which they were copied in', async () => {
  const query = db.selectFrom('lines').selectAll().where('id', 'in', [2, 3]).orderBy('id').compile()
  expect(await text(copyOut(db, query))).toBe(`2\x02${emptyText}\n3\x02\n`)
})

test('rows can be copied out as CSV with a header', async () => {
  const note = 'say "hi",\nthen go'
  const query = sql`select 1 as id, ${note} as note union all select 2, null`.compile(db)
  expect(await text(copyOut(db, query, { as: 'csv' }))).toBe(
    'id,note\n1,"say ""hi"",\nthen go"\n2,\n',
  )
})

test('text parameters of a query are quoted', async () => {
  const query = sql`select ${"it's \\ $1"}, ${true}, ${null}, ${[1, 2]}`.compile(db)
  expect(await text(copyOut(db, query))).toBe("it's \\ $1\x02t\x02\x02{1,2}\n")
})

test('an empty list takes the type of the compared value', async () => {
  const query = sql`select 1 = any(${[]}), 'a' = any(${[]})`.compile(db)
  expect(await text(copyOut(db, query))).toBe('f\x02f\n')
})

test('rows of a transaction that is rolled back are removed with its other changes', async () => {
  const attempt = db.transaction().execute(async (tx) => {
    await tx.deleteFrom('lines').execute()
    await copyIn(tx, lines, chunks('10\x02a\n'))
    throw new Error('changed my mind')
  })
  await expect(attempt).rejects.toThrow('changed my mind')
  expect(await countLines()).toBe(3)
})

test('a failing source adds no rows, and its error is thrown', async () => {
  const attempt = copyIn(db, lines, chunks('11\x02a\n', new Error('source broke')))
  await expect(attempt).rejects.toThrow('source broke')
  expect(await countLines()).toBe(3)
})

test('the server names an invalid line, and the connection stays usable', async () => {
  const attempt = copyIn(db, lines, chunks('12\x02a\n', 'no number\x02b\n'))
  await expect(attempt).rejects.toMatchObject({
    code: '22P02',
    where: expect.stringContaining('line 2'),
  })
  expect(await countLines()).toBe(3)
})

test('an aborted source adds no rows, and the reason is thrown', async () => {
  const abort = new AbortController()
  async function* slowly() {
    yield Buffer.from('13\x02a\n')
    abort.abort(new Error('caller left'))
    await sleep(5000, undefined, { ref: false })
  }
  await expect(copyIn(db, lines, slowly(), { signal: abort.signal })).rejects.toThrow('caller left')
  expect(await countLines()).toBe(3)
})

test('a reader that stops early cancels the query and releases the connection', async () => {
  for await (const piece of copyOut(db, big)) {
    expect(piece.length).toBeGreaterThan(0)
    break
  }
  expect(pool.idleCount).toBe(pool.totalCount)
  expect(await running()).toBe(0)
})

test('a signal cancels the query even if no reader is waiting', async () => {
  const abort = new AbortController()
  const reader = copyOut(db, big, { signal: abort.signal })
  await reader.next()
  expect(await running()).toBe(1)

  abort.abort(new Error('too late'))
  await expect.poll(running).toBe(0)
  await expect.poll(() => pool.idleCount === pool.totalCount).toBe(true)
  await expect(reader.next()).rejects.toThrow('too late')
})

test('a paused reader makes the server wait', async () => {
  const reader = copyOut(db, big)
  await reader.next()
  const before = process.memoryUsage().rss
  await sleep(200)
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 2 ** 20)
  await reader.return(undefined)
})

test('an error in the middle of the rows reaches the reader', async () => {
  const query = sql`select 1 / (50000 - n) from generate_series(1, 100000) n`.compile(db)
  await expect(text(copyOut(db, query))).rejects.toMatchObject({ code: '22012' })
  expect(await countLines()).toBe(3)
})

test('the error of an invalid query is thrown at the first piece', async () => {
  const query = sql`select * from nowhere`.compile(db)
  await expect(text(copyOut(db, query))).rejects.toMatchObject({ code: '42P01' })
})

async function running(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity
    where datname = current_database() and state = 'active' and query like 'copy (select repeat%'`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
