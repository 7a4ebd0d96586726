import { setTimeout as sleep } from 'node:timers/promises'
import { defineOperations, internal } from '@reticle/contracts/api/operation'
import { type Kysely, sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openDatabase } from '../db/connect.ts'
import { queryTexts } from '../db/prepared.ts'
import { callAs } from '../testing/call.ts'
import { testDatabase } from '../testing/db.ts'
import { protosOf } from '../testing/protos.ts'
import { overTransport, transports } from '../testing/transport.ts'

/** Deadline and cancellation of a call also end its running database statement. */

interface Tables {
  notes: { text: string }
}

const migrations = {
  '0001-notes': {
    up: async (db: Kysely<Tables>) => {
      await sql`create table notes (text text not null)`.execute(db)
    },
  },
}
const { db: watcher, url } = await testDatabase<Tables>([{ schema: 'notes', migrations }])
const application = 'cancelled calls'
const { db, pool } = openDatabase<Tables>(url, {
  application,
  max: 2,
  statement_timeout: 20_000,
  search_path: ['notes'],
})
const nap = sql`select pg_sleep(10)`

const query = z.object({ how: z.string() })
const table = defineOperations('NapService', {
  sleepOn: internal({ query, answers: { 200: z.object({ done: z.boolean() }) } }),
})
const protos = protosOf(table)

/** Activities of a call at the moment of its end. */
const ways: Record<string, () => Promise<unknown>> = {
  'a statement': () => nap.execute(db),
  'a prepared statement': () => queryTexts(db, { name: 'nap', text: 'select pg_sleep($1)' }, [10]),
  'a transaction': () =>
    db.transaction().execute(async (tx) => {
      await tx.insertInto('notes').values({ text: 'of a cancelled call' }).execute()
      await nap.execute(tx)
    }),
  'a transaction between two statements': () =>
    db.transaction().execute(async (tx) => {
      await tx.insertInto('notes').values({ text: 'of a cancelled call' }).execute()
      await sleep(60)
      await nap.execute(tx)
    }),
  'a transaction about to commit': () =>
    db.transaction().execute(async (tx) => {
      await tx.insertInto('notes').values({ text: 'of a cancelled call' }).execute()
      await sleep(60)
    }),
}

afterAll(() => db.destroy())

/** Resolves when the server runs a statement of a call, or has an open transaction of one. */
async function begun(): Promise<void> {
  await expect.poll(busySessions, { interval: 5 }).toBe(1)
}

async function busySessions(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity
    where application_name = ${application} and state <> 'idle' and query not like '%pg_cancel%'`.execute(
    watcher,
  )
  return rows[0]?.count ?? 0
}

/** Returns the milliseconds until the pool has all connections back and the server is idle. */
async function untilFree(): Promise<number> {
  const began = performance.now()
  while (pool.totalCount > pool.idleCount || (await busySessions()) > 0) await sleep(2)
  return performance.now() - began
}

describe.each(transports)('%s', (transport) => {
  const naps = overTransport(
    transport,
    table,
    {
      sleepOn: async ({ how }) => {
        await ways[how]?.()
        return { done: true }
      },
    },
    { protos },
  )
  const cancelled = async (how: string) => {
    const caller = new AbortController()
    const attempt = naps.sleepOn({ how }, callAs(null, { signal: caller.signal }))
    const refused = expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
    await begun()
    caller.abort()
    const freedIn = await untilFree()
    await refused
    return freedIn
  }

  test.each(Object.keys(ways))('%s ends with its call and leaves nothing behind', async (how) => {
    const freedIn: number[] = []
    for (let round = 0; round < 3; round++) freedIn.push(await cancelled(how))

    // The fastest of three, because the others may have met a busy machine.
    expect(Math.min(...freedIn)).toBeLessThan(100)
    expect(await watcher.selectFrom('notes').selectAll().execute()).toEqual([])
  })

  test('a passed deadline ends the statement as well', async () => {
    const how = 'a statement'
    const attempt = naps.sleepOn({ how }, callAs(null, { deadline: Date.now() + 150 }))
    await expect(attempt).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'The request took too long.',
    })
    expect(await untilFree()).toBeLessThan(1000)
  })

  test('calls that follow a cancelled one on its connection are not affected', async () => {
    await cancelled('a statement')
    const after = Array.from({ length: 50 }, () => sql`select 1`.execute(db))
    expect(await Promise.all(after)).toHaveLength(50)
  })
})
