import type { AccessToken } from '@reticle/contracts/rest/auth'
import type { BasicUser } from '@reticle/contracts/rest/users'
import type { AccessTokenRow } from '../../db/schema.ts'
import { showExpiry } from './expiry.ts'

export function toAccessToken(row: AccessTokenRow, owner: BasicUser): AccessToken {
  const { id, name, read_only } = row
  return {
    id,
    name,
    created_date: row.created_date.toISOString(),
    updated_date: row.updated_date.toISOString(),
    expiry_date: row.expiry_date && showExpiry(row.expiry_date),
    last_used_date: row.last_used_date?.toISOString() ?? null,
    read_only,
    owner,
  }
}
