import { hash } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { testIdentity } from '../testing.ts'
import { logFailures } from './attempts.ts'
import { passwordChecks } from './check.ts'
import { dummyHash, needsRehash, verifyPassword } from './hash.ts'

/** Number of hashes that password checks compute. */

const { db, clock, addUser } = await testIdentity()
const from = (address: string) => ({ cause: { principal: null, request_id: 'test', address } })
const here = from('10.0.0.1')

function counted() {
  const hashed: string[] = []
  const checks = passwordChecks({ db, clock }, (stored, password) => {
    hashed.push(stored)
    return verifyPassword(stored, password)
  })
  return { ...checks, hashed }
}

test('a thousand equal Basic sign-ins cost one hash', async () => {
  const { id, username } = await addUser()
  const { checkCached, hashed } = counted()
  const guess = { name: username, password: 'secret', ...here }
  const found = await Promise.all(Array.from({ length: 1000 }, () => checkCached(guess)))
  expect(found.every((user) => user?.id === id)).toBe(true)
  expect(hashed).toHaveLength(1)
})

test('a cached password is hashed again after a minute', async () => {
  const { username } = await addUser()
  const { checkCached, hashed } = counted()
  const guess = { name: username, password: 'secret', ...here }
  await checkCached(guess)
  await clock.advance(59_999)
  await checkCached(guess)
  expect(hashed).toHaveLength(1)
  await clock.advance(1)
  await checkCached(guess)
  expect(hashed).toHaveLength(2)
})

test('the cache key separates name and password', async () => {
  const { username } = await addUser()
  const { checkCached } = counted()
  await checkCached({ name: username, password: 'secret', ...here })
  expect(await checkCached({ name: username, password: 'secre', ...here })).toBeUndefined()
  expect(await checkCached({ name: `${username}s`, password: 'ecret', ...here })).toBeUndefined()
})

test('a wrong password is not cached', async () => {
  const { username } = await addUser()
  const { checkCached, hashed } = counted()
  const guess = { name: username, password: 'wrong', ...here }
  await checkCached(guess)
  await checkCached(guess)
  expect(hashed).toHaveLength(2)
})

test('a login computes a hash each time', async () => {
  const { username } = await addUser()
  const { check, hashed } = counted()
  const guess = { name: username, password: 'secret', ...here }
  await check(guess)
  await check(guess)
  expect(hashed).toHaveLength(2)
})

test('an unknown user costs as much as a known one', async () => {
  const { check, hashed } = counted()
  await check({ name: 'nobody-at-all', password: 'x', ...here })
  expect(hashed).toEqual([dummyHash])
  expect(needsRehash(dummyHash)).toBe(false)
})

test('an invited user without a password costs as much as a registered one', async () => {
  const { id } = await addUser({ username: 'invited@example.org' })
  await db.updateTable('users').set({ password_hash: '' }).where('id', '=', id).execute()
  const { check, hashed } = counted()
  const found = await check({ name: 'invited@example.org', password: '', ...here })
  expect([found, hashed]).toEqual([undefined, [dummyHash]])
})

test('two parallel sign-ins with an outdated hash both succeed, and one stores the new hash', async () => {
  const { id, username } = await addUser()
  const older = await hash('secret', { memoryCost: 8192 })
  await db.updateTable('users').set({ password_hash: older }).where('id', '=', id).execute()
  const { check } = counted()
  const guesses = ['10.0.0.2', '10.0.0.3'].map((one) =>
    check({ name: username, password: 'secret', ...from(one) }),
  )
  expect((await Promise.all(guesses)).map((user) => user?.id)).toEqual([id, id])
})

test('a malformed stored hash rejects every password', async () => {
  const { id, username } = await addUser()
  await db.updateTable('users').set({ password_hash: '!' }).where('id', '=', id).execute()
  const { check } = counted()
  expect(await check({ name: username, password: 'secret', ...here })).toBeUndefined()
})

test('expired failures are deleted', async () => {
  const { check } = counted()
  const left = async () => {
    await logFailures({ db, clock })
    const rows = await db
      .selectFrom('password_failures')
      .select('username')
      .where('username', 'in', ['one', 'two'])
      .execute()
    return rows.map(({ username }) => username)
  }
  await check({ name: 'one', password: 'x', ...here })
  await clock.advance(59 * 60_000)
  await check({ name: 'two', password: 'x', ...here })
  expect((await left()).toSorted()).toEqual(['one', 'two'])
  await clock.advance(60_000)
  expect(await left()).toEqual(['two'])
})
