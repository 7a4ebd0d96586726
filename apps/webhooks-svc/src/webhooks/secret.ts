import { assertKeysFit, type SealedColumn } from '@reticle/kit/settings/sealed'
import { type SecretBox, secretBox } from '@reticle/kit/settings/secrets'
import type { Kysely } from 'kysely'
import type { WebhookRow } from '../db/schema.ts'

/** A sealed secret is bound to the id of its webhook, so it cannot be opened after being copied to another row. */
const placeOf = (id: number) => `webhooks.secret:${id}`

/** All sealed columns of this service, which a key rotation rewrites. */
export const sealed: readonly SealedColumn[] = [
  { table: 'webhooks', id: 'id', column: 'secret_sealed', placeOf },
  { table: 'webhooks', id: 'id', column: 'old_secret_sealed', placeOf },
]

/**
 * Checks that the keys of `settings` open the stored secrets.
 *
 * @throws Error with one sentence when they do not; the service must not start then
 */
export const assertSecretsOpen = <T>(
  db: Kysely<T>,
  { secretKeys }: { secretKeys: string },
): Promise<void> => assertKeysFit(db, secretBox(secretKeys), sealed)

export function sealSecret(secrets: SecretBox, id: number, secret: string): string {
  return secrets.seal(secret, placeOf(id))
}

/** Returns the secret as plain text; `''` when there is none. */
export function openSecret(
  secrets: SecretBox,
  { id, secret_sealed }: Pick<WebhookRow, 'id' | 'secret_sealed'>,
): string {
  return secret_sealed === null ? '' : secrets.open(secret_sealed, placeOf(id))
}

/** Returns the secrets that sign an attempt: the current one, then the old one while a rotation overlaps. */
export function signingSecrets(
  secrets: SecretBox,
  row: Pick<WebhookRow, 'id' | 'secret_sealed' | 'old_secret_sealed' | 'old_secret_until_date'>,
  now: Date,
): string[] {
  const { id, old_secret_sealed, old_secret_until_date: until } = row
  const isOverlap = until !== null && now < until
  const present = openSecret(secrets, row)
  const before = isOverlap ? openSecret(secrets, { id, secret_sealed: old_secret_sealed }) : ''
  return [present, before].filter(Boolean)
}

/**
 * Returns whether this secret is the stored one. A stored secret whose key was removed matches none, so it can be
 * replaced.
 */
export function isSecret(
  secrets: SecretBox,
  row: Pick<WebhookRow, 'id' | 'secret_sealed'>,
  secret: string,
): boolean {
  try {
    return openSecret(secrets, row) === secret
  } catch {
    return false
  }
}
