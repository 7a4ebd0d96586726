import { assertKeysFit, type SealedColumn } from '@reticle/kit/sealed'
import { type SecretBox, secretBox } from '@reticle/kit/secrets'
import type { Kysely } from 'kysely'
import type { WebhookRow } from '../db/schema.ts'

/** A sealed secret is bound to its webhook: moved to another one it cannot be opened (`reliability.md` 11). */
const placeOf = (id: number) => `webhooks.secret:${id}`

/** Everything this service keeps sealed: what a rotation of keys rewrites. */
export const sealed: readonly SealedColumn[] = [
  { table: 'webhooks', id: 'id', column: 'secret_sealed', placeOf },
  { table: 'webhooks', id: 'id', column: 'old_secret_sealed', placeOf },
]

/** @throws Error with one sentence when the keys of `settings` do not open what is stored: nothing may start then */
export const assertSecretsOpen = <T>(
  db: Kysely<T>,
  { secretKeys }: { secretKeys: string },
): Promise<void> => assertKeysFit(db, secretBox(secretKeys), sealed)

export function sealSecret(secrets: SecretBox, id: number, secret: string): string {
  return secrets.seal(secret, placeOf(id))
}

/** The secret in the clear; `''` when there is none. */
export function openSecret(
  secrets: SecretBox,
  { id, secret_sealed }: Pick<WebhookRow, 'id' | 'secret_sealed'>,
): string {
  return secret_sealed === null ? '' : secrets.open(secret_sealed, placeOf(id))
}

/** What an attempt is signed with, the present one first: until the overlap of a rotation is over also the one before it. */
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

/** Is this the secret that is stored? One whose key is gone is no secret any more, and may be replaced. */
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
