import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import { expect, test } from 'vitest'
import { endingWith } from '../../call/signal.ts'
import { testDatabase } from '../../testing/db.ts'
import { openProxy } from '../../testing/proxy.ts'
import { openDatabase } from '../connect.ts'
import { copyOut } from '../copy.ts'
import { queryRows } from '../prepared.ts'

const { db, url, onCommit } = await testDatabase<object>([])

type Tx = Transaction<object>
const sent = sql<{ query: string }>`select query from pg_stat_activity where pid = pg_backend_pid()`
const depth = sql<{ name: string }>`savepoint here` // fails outside of a transaction

test('a transaction begins in the same message as its first statement', async () => {
  const { rows } = await db.transaction().execute((tx) => sent.execute(tx))
  expect(rows[0]?.query).toMatch(/^begin; select query/)
})

test('several statements without values are one message, whose result is that of the last', async () => {
  const { rows } = await db
    .transaction()
    .execute((tx) =>
      sql<{ lock_timeout: string }>`set local lock_timeout = 77; show lock_timeout`.execute(tx),
    )
  expect(rows).toEqual([{ lock_timeout: '77ms' }])
  expect((await sql`show lock_timeout`.execute(db)).rows).toEqual([{ lock_timeout: '2s' }])
})

const first: Record<string, (tx: Tx) => Promise<unknown>> = {
  'without values': (tx) => sql`select 1`.execute(tx),
  'with values': (tx) => sql`select ${1}::int`.execute(tx),
  prepared: (tx) => queryRows(tx, { name: 'one', text: 'select $1::int' }, [1]),
  'a COPY': async (tx) => {
    for await (const _ of copyOut(tx, sql`select 1`.compile(db)));
  },
}

test.each(Object.keys(first))(
  'the statements after a first statement %s are in the transaction',
  async (name) => {
    await db.transaction().execute(async (tx) => {
      await first[name]?.(tx)
      await depth.execute(tx)
    })
    await expect(depth.execute(db)).rejects.toThrow('transaction blocks')
  },
)

test('a failed first statement leaves no open transaction', async () => {
  await expect(db.transaction().execute((tx) => sql`select 1 / 0`.execute(tx))).rejects.toThrow(
    'division by zero',
  )
  await expect(depth.execute(db)).rejects.toThrow('transaction blocks')
})

test('a transaction without statements sends nothing', async () => {
  let heard = 0
  const stop = onCommit(() => heard++)
  expect(await db.transaction().execute(async () => 'done')).toBe('done')
  const failed = db.transaction().execute(async () => Promise.reject(new Error('no')))
  await expect(failed).rejects.toThrow('no')
  expect(heard).toBe(0)
  expect((await sent.execute(db)).rows[0]?.query).toMatch(/^select query/)
  stop()
})

test('a transaction that a silent server does not begin ends with its call', async () => {
  const { hostname, port, pathname, username, password } = new URL(url)
  const proxy = await openProxy({ host: hostname, port: Number(port) })
  const address = `postgres://${username}:${password}@127.0.0.1:${proxy.port}${pathname}`
  const other = openDatabase<object>(address, { application: 'silent' })
  await sql`select 1`.execute(other.db) // opens the connection
  proxy.blackHole()
  const call = new AbortController()
  const one = { name: 'one', text: 'select $1::int' }
  const attempt = endingWith(call.signal, () =>
    other.db.transaction().execute((tx) => queryRows(tx, one, [1])),
  )
  const ended = expect(attempt).rejects.toThrow('the call is over')
  await sleep(100) // until `begin` was sent
  call.abort(new Error('the call is over'))
  await ended
  proxy.cut()
  await other.close()
  await proxy.close()
})
