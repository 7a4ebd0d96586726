import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { Migrations } from '../db/migrate.ts'
import { testDb } from '../testing/db.ts'
import { keyHandlers } from './keys.ts'
import { idempotencyKeysTable } from './table.ts'

/** Rows of `Idempotency-Key`. See docs/spec/reliability.md#idempotency. */

interface Tables {
  idempotency_keys: { id: string; leased_until_date: Date; created_date: Date; answer: unknown }
}
const migrations: Migrations = {
  '0001-keys': { up: (schema) => idempotencyKeysTable(schema, 'keys') },
}
const db = await testDb<Tables>(migrations, 'keys')
const { claimKey, settleKey } = keyHandlers(db)

let id = ''
beforeEach(() => {
  id = randomUUID()
})
const attempt = (fingerprint?: string) => ({ id, claim_id: randomUUID(), fingerprint })
const answer = Buffer.from('done').toString('base64')

test('one of fifty concurrent attempts gets the key', async () => {
  const claims = await Promise.all(Array.from({ length: 50 }, () => claimKey(attempt('f'))))
  const states = claims.map(({ state }) => state).sort()
  expect(states).toEqual([...Array(49).fill('running'), 'yours'])
})

test('an attempt that claims its key again keeps it and its call id', async () => {
  const mine = attempt('f')
  const first = await claimKey(mine)
  expect(await claimKey(mine)).toEqual(first)
})

test('a stored answer is returned to all later attempts', async () => {
  const mine = attempt('f')
  await claimKey(mine)
  await settleKey({ ...mine, answer })
  expect(await claimKey(attempt('f'))).toEqual({ state: 'answered', fingerprint: 'f', answer })
  expect(await claimKey(attempt())).toEqual({ state: 'answered', fingerprint: 'f', answer })
  expect(await claimKey(attempt('g'))).toEqual({ state: 'reused' })
})

test('a released key can be claimed at once and keeps its call id', async () => {
  const mine = attempt()
  const { call_id } = await claimKey(mine)
  await settleKey(mine)
  expect(await claimKey(attempt('f'))).toEqual({ state: 'yours', call_id })
})

test('a released key stays bound to its first fingerprint', async () => {
  const mine = attempt('f')
  await claimKey(mine)
  await settleKey(mine)
  expect(await claimKey(attempt('g'))).toEqual({ state: 'reused' })
})

test('an attempt that lost its key cannot settle it', async () => {
  const late = attempt('f')
  await claimKey(late)
  const leased_until_date = new Date(Date.now() - 1000)
  await db.updateTable('idempotency_keys').set({ leased_until_date }).where('id', '=', id).execute()
  const next = attempt('f')
  expect((await claimKey(next)).state).toBe('yours')
  await settleKey({ ...late, answer })
  expect((await claimKey(attempt('f'))).state).toBe('running')
})

test('a lease lasts one minute', async () => {
  await claimKey(attempt('f'))
  const { leased_until_date, created_date } = await db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(leased_until_date.getTime() - created_date.getTime()).toBeGreaterThan(59_000)
  expect(leased_until_date.getTime() - created_date.getTime()).toBeLessThan(61_000)
})
