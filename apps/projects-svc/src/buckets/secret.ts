import { unavailable } from '@reticle/kit/errors'
import { assertKeysFit, type SealedColumn } from '@reticle/kit/sealed'
import { type SecretBox, secretBox } from '@reticle/kit/secrets'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { CloudStorageRow } from '../db/schema.ts'
import type { Credentials } from './credentials.ts'

/** Sealed credentials are bound to their storage: moved to another one they cannot be opened (`reliability.md` 11). */
const placeOf = (id: number) => `cloud_storages.credentials:${id}`

/** Everything this service keeps sealed: what a rotation of keys rewrites. */
export const sealed: readonly SealedColumn[] = [
  { table: 'cloud_storages', id: 'id', column: 'credentials_sealed', placeOf },
]

/** @throws Error with one sentence when the keys do not open what is stored: nothing may start then */
export const assertSecretsOpen = <T>(db: Kysely<T>, secretKeys: string): Promise<void> =>
  assertKeysFit(db, secretBox(secretKeys), sealed)

/** Where the process was given no keys (`RETICLE_SECRET_KEYS`), nothing is sealed and nothing opened. */
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

/** Null: there is nothing to keep. */
export function sealCredentials(box: Box, id: number, credentials: Credentials): string | null {
  if (Object.keys(credentials).length === 0) return null
  return boxOf(box).seal(JSON.stringify(credentials), placeOf(id))
}

/** For one call, and never for a record, an event or a log. */
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
