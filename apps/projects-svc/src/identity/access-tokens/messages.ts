import type { AccessToken } from '@reticle/contracts/rest/auth'
import type { BasicUser } from '@reticle/contracts/rest/users'
import type { AccessTokenRow } from '../../db/schema.ts'
import { showExpiry } from './expiry.ts'

/** Options of a token record: the expiry as a day, or with its time. */
export interface TokenFormat {
  with_time?: boolean | undefined
}

export function toAccessToken(
  row: AccessTokenRow,
  owner: BasicUser,
  { with_time = false }: TokenFormat = {},
): AccessToken {
  const { id, name, read_only, dialect, expiry_date } = row
  const expiry = expiry_date && (with_time ? expiry_date.toISOString() : showExpiry(expiry_date))
  return {
    id,
    name,
    created_date: row.created_date.toISOString(),
    updated_date: row.updated_date.toISOString(),
    expiry_date: expiry,
    last_used_date: row.last_used_date?.toISOString() ?? null,
    read_only,
    dialect,
    owner,
  }
}
