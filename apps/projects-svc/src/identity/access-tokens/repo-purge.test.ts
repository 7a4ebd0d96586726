import { expect, test } from 'vitest'
import { testIdentity } from '../testing.ts'
import { purgeAccessTokens } from './repo-purge.ts'

/** Unusable tokens are deleted after 90 days. */

test('only tokens that were revoked, expired or stale for 90 days are deleted', async () => {
  const { db, clock, over, addUser, as, days, settings } = await testIdentity()
  const identity = over('in-process', { accessTokenStaleDays: 100 })
  const call = as(await addUser())
  const create = (name: string, expiry_date?: string) =>
    identity.createAccessToken({ body: { name, read_only: true, expiry_date } }, call)
  const names = async () => {
    await purgeAccessTokens({ db, clock, settings: { ...settings, accessTokenStaleDays: 100 } })
    const rows = await db.selectFrom('access_tokens').select('name').orderBy('id').execute()
    return rows.map((row) => row.name)
  }
  const revoked = await create('revoked')
  await create('expired', '10/03/2026')
  await create('stale')
  await identity.deleteAccessToken({ id: revoked.id }, call)

  await days(89)
  expect(await names()).toEqual(['revoked', 'expired', 'stale'])
  await days(2)
  expect(await names()).toEqual(['expired', 'stale'])
  await days(10)
  expect(await names()).toEqual(['stale'])
  await create('fresh')
  await days(90)
  expect(await names()).toEqual(['fresh'])
})
