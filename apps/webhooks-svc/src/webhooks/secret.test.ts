import { newSecretKey, secretBox } from '@reticle/kit/settings/secrets'
import { testDb } from '@reticle/kit/testing/db'
import { expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { addWebhook } from '../testing/world.ts'
import { assertSecretsOpen, sealSecret } from './secret.ts'

const db = await testDb<WebhooksDb>(migrations, 'webhooks')

test('keys that do not open the stored secrets are refused, and the error names the missing key', async () => {
  const [old, other] = [newSecretKey('k1'), newSecretKey('k2')]
  await assertSecretsOpen(db, { secretKeys: other }) // nothing is sealed yet
  await addWebhook(db)
  const id = await addWebhook(db)
  const secret_sealed = sealSecret(secretBox(old), id, 'hush hush')
  await db.updateTable('webhooks').set({ secret_sealed }).where('id', '=', id).execute()

  await assertSecretsOpen(db, { secretKeys: `${other},${old}` })
  const refused = /RETICLE_SECRET_KEYS do not open the secrets in webhooks .* "k1"/
  await expect(assertSecretsOpen(db, { secretKeys: other })).rejects.toThrow(refused)
  const sameName = newSecretKey('k1') // a lost key file is replaced by a new key under the same name
  await expect(assertSecretsOpen(db, { secretKeys: sameName })).rejects.toThrow(refused)
})
