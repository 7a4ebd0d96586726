import { createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { newSecretKey } from '@reticle/kit/settings/secrets'
import { readOrCreateSecret } from './secret-file.ts'

/**
 * Keys of an installation, created on its first start and kept beside its data (0600): one encrypts secrets in the
 * database, and one is the source of the passwords of the database roles and of the signatures between services.
 */
export interface Keys {
  /** Keys as `<id>:<base64>`, newest first: from `RETICLE_SECRET_KEYS`, or the stored one. */
  secretKeys: string
  passwordOf: (role: string) => string
  internalKey: string
}

export async function readKeys(dataDir: string, secretKeys: string | undefined): Promise<Keys> {
  const installation = await readOrCreateSecret(join(dataDir, 'installation-key'), () =>
    randomBytes(32).toString('base64'),
  )
  const derived = (use: string) =>
    createHmac('sha256', installation).update(use).digest('base64url')
  return {
    secretKeys:
      secretKeys ??
      (await readOrCreateSecret(join(dataDir, 'secret-keys'), () => newSecretKey('k1'))),
    passwordOf: (role) => derived(`role ${role}`),
    internalKey: derived('calls between services'),
  }
}
