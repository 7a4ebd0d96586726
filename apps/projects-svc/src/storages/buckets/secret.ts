import { unavailable } from '@reticle/kit/call/errors'
import { assertKeysFit, type SealedColumn } from '@reticle/kit/settings/sealed'
import { type SecretBox, secretBox } from '@reticle/kit/settings/secrets'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { CloudStorageRow } from '../../db/schema.ts'
import type { Credentials } from './credentials.ts'

/** Binds sealed credentials to their row: copied to another storage they cannot be opened. */
const placeOf = (id: number) => `cloud_storages.credentials:${id}`

/** Sealed columns of this service, which a key rotation rewrites. */
export const sealed: readonly SealedColumn[] = [
  { table: 'cloud_storages', id: 'id', column: 'credentials_sealed', placeOf },
]

/**
 * Checks that the keys open the stored secrets.
 *
 * @throws Error with one sentence when they do not; the service must not start then
 */
export const assertSecretsOpen = <T>(db: Kysely<T>, secretKeys: string): Promise<void> =>
  assertKeysFit(db, secretBox(secretKeys), sealed)

/**
 * Undefined when the process has no keys (`RETICLE_SECRET_KEYS`); credentials can then be neither sealed nor opened.
 */
type Box = SecretBox | undefined

const text = z.string().optional()
const credentialsShape = z.object({
  key: text,
  secret_key: text,
  session_token: text,
  account_name: text,
  key_file: text,
  connection_string: text,
})

/** Seals credentials for one storage. Returns null for empty credentials. */
export function sealCredentials(box: Box, id: number, credentials: Credentials): string | null {
  if (Object.keys(credentials).length === 0) return null
  return boxOf(box).seal(JSON.stringify(credentials), placeOf(id))
}

/** Opens the credentials of a storage. The result must not reach a record, an event or a log. */
export function openCredentials(
  box: Box,
  { id, credentials_sealed }: Pick<CloudStorageRow, 'id' | 'credentials_sealed'>,
): Credentials {
  if (credentials_sealed === null) return {}
  return credentialsShape.parse(JSON.parse(boxOf(box).open(credentials_sealed, placeOf(id))))
}

function boxOf(box: Box): SecretBox {
  if (!box) throw unavailable('Credentials cannot be kept: RETICLE_SECRET_KEYS is not set.')
  return box
}
