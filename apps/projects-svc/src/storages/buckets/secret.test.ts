import { openDatabase } from '@reticle/kit/db/connect'
import { rotateKeys } from '@reticle/kit/ops/rotate'
import { newSecretKey, secretBox } from '@reticle/kit/settings/secrets'
import { testDatabase } from '@reticle/kit/testing/db'
import { afterAll, expect, test } from 'vitest'
import { migrations } from '../../db/migrations/index.ts'
import type { ProjectsDb } from '../../db/schema.ts'
import { assertSecretsOpen, openCredentials, sealCredentials, sealed } from './secret.ts'

const { db, url } = await testDatabase<ProjectsDb>([{ schema: 'projects', migrations }])
const operator = openDatabase<unknown>(url, { application: 'ops', search_path: ['projects'] })
afterAll(operator.close)
const [old, other] = [newSecretKey('k1'), newSecretKey('k2')]
const credentials = { key: 'AKIDTEST', secret_key: 'hush hush' }

async function addStorage(isOpen = false): Promise<number> {
  const { id } = await db
    .insertInto('cloud_storages')
    .values({
      provider_type: 'AWS_S3_BUCKET',
      resource: 'frames',
      display_name: 'x',
      credentials_type: isOpen ? 'ANONYMOUS_ACCESS' : 'KEY_SECRET_KEY_PAIR',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const credentials_sealed = sealCredentials(secretBox(old), id, isOpen ? {} : credentials)
  await db.updateTable('cloud_storages').set({ credentials_sealed }).where('id', '=', id).execute()
  return id
}

const row = (id: number) =>
  db.selectFrom('cloud_storages').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('sealed credentials cannot be opened for another storage', async () => {
  const [first, second] = [await row(await addStorage()), await row(await addStorage())]
  expect(first.credentials_sealed).not.toContain('hush')
  expect(openCredentials(secretBox(old), first)).toEqual(credentials)
  expect(() => openCredentials(secretBox(old), { ...first, id: second.id })).toThrow()
  const open = await row(await addStorage(true))
  expect(open.credentials_sealed).toBeNull()
  expect(openCredentials(undefined, open)).toEqual({})
})

test('keys that cannot open the stored secrets are rejected, and rotation rewrites credentials', async () => {
  const id = await addStorage()
  await expect(assertSecretsOpen(db, other)).rejects.toThrow(
    /RETICLE_SECRET_KEYS do not open the secrets in cloud_storages .* "k1"/,
  )
  const both = `${other},${old}`
  await assertSecretsOpen(db, both)
  const { rewritten } = await rotateKeys(operator.db, secretBox(both), sealed)
  expect(rewritten).toBe(3)
  await assertSecretsOpen(db, other)
  expect(openCredentials(secretBox(other), await row(id))).toEqual(credentials)
})
