import { once } from 'node:events'
import { createServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { testDatabase } from '../testing/db.ts'
import { openDatabase } from './connect.ts'

const { db, url, onCommit } = await testDatabase<object>([])

test('safe integers are read as numbers, and times as dates', async () => {
  const { rows } = await sql`
    select 9007199254740991::int8 as big, '2026-01-02T03:04:05.678Z'::timestamptz as at`.execute(db)
  expect(rows).toEqual([{ big: 9007199254740991, at: new Date('2026-01-02T03:04:05.678Z') }])
})

test('an integer beyond the safe ones is rejected', async () => {
  await expect(sql`select 9007199254740993::int8`.execute(db)).rejects.toThrow(
    '9007199254740993 is too large',
  )
})

test('a session has the limits of the service', async () => {
  const limits = [
    'statement_timeout',
    'lock_timeout',
    'idle_in_transaction_session_timeout',
    'application_name',
  ]
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in (${sql.join(limits)}) order by name`.execute(
    db,
  )
  expect(rows.map(({ setting }) => setting)).toEqual(['test', '15000', '2000', '5000'])
})

test('a commit calls the listener, and a rollback does not', async () => {
  let heard = 0
  const stop = onCommit(() => heard++)
  await db.transaction().execute((tx) => sql`select 1`.execute(tx))
  const failed = db.transaction().execute((tx) => sql`select nonsense`.execute(tx))
  await expect(failed).rejects.toThrow('nonsense')
  expect(heard).toBe(1)

  stop()
  await db.transaction().execute((tx) => sql`select 1`.execute(tx))
  expect(heard).toBe(1)
})

test('closing waits until the server has closed every connection', async () => {
  const other = openDatabase<object>(url, { application: 'closing' })
  await Promise.all([1, 2, 3].map(() => sql`select pg_sleep(0.02)`.execute(other.db)))
  await other.close()
  const { rows } = await sql`
    select count(*) from pg_stat_activity where application_name = 'closing'`.execute(db)
  expect(rows).toEqual([{ count: 0 }])
})

test('a pool that was never used can be closed', async () => {
  await openDatabase<object>(url, { application: 'unused' }).close()
})

test('the loss of an idle connection is reported, and the pool replaces it', async () => {
  const lost: string[] = []
  const other = openDatabase<object>(url, {
    application: 'healing',
    onIdleError: ({ message }) => lost.push(message),
  })
  await sql`select 1`.execute(other.db)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'healing'`.execute(
    db,
  )
  await expect.poll(() => lost.length).toBe(1)
  await sql`select 1`.execute(other.db)
  await other.close()
})

test.each(['commit', 'rollback'])(
  'a statement that is sent during the %s is rejected',
  async (end) => {
    let late: Promise<unknown> | undefined
    const transaction = db.transaction().execute(async (tx) => {
      await sql`select 1`.execute(tx)
      late = nextTurn().then(() => sql`select 2`.execute(tx))
      late.catch(() => undefined)
      if (end === 'rollback') throw new Error('no')
    })
    await transaction.catch(() => undefined)
    await expect(late).rejects.toThrow('while its transaction was being ended')
  },
)

test('a connection that is lost while it opens fails only its own statement', async () => {
  const dying = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.concat([welcome, ready, farewell])))
  })
  await once(dying.listen(0, '127.0.0.1'), 'listening')
  const { port } = z.object({ port: z.int() }).parse(dying.address())
  const other = openDatabase(`postgres://nobody@127.0.0.1:${port}/none`, { application: 'unlucky' })
  await expect(sql`select 1`.execute(other.db)).rejects.toThrow()
  await other.close()
  dying.close()
})

/** Builds a message of the PostgreSQL protocol (PostgreSQL 18, 54.7): a type, the length of the rest, the rest. */
function message(type: string, rest: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + rest.length)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(rest, 'latin1')])
}
const welcome = message('R', '\0\0\0\0')
const ready = message('Z', 'I')
const farewell = message(
  'E',
  'SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0',
)
