import { z } from 'zod'
import { principal } from '../principal.ts'
import { flag, rawText, text, timestamp } from './common.ts'
import { listFields, listOf } from './lists.ts'
import { basicUser } from './users.ts'

/** Signing in and access tokens: `spec/api-workspace.md` 2.1 to 2.3. */

export const login = z
  .object({
    username: text(150).optional(),
    email: text(254).optional(),
    password: rawText(256),
  })
  .meta({ id: 'Login' })

/** `key` is the legacy token, 40 hexadecimal digits. */
export const loginAnswer = z.object({ key: z.string() }).meta({ id: 'LoginAnswer' })
export const detail = z.object({ detail: z.string() }).meta({ id: 'Detail' })

export const accessToken = z
  .object({
    id: z.int(),
    name: z.string(),
    created_date: timestamp,
    updated_date: timestamp,
    /** DD/MM/YYYY (contract, Authentication 2); null: never. */
    expiry_date: z.string().nullable(),
    last_used_date: timestamp.nullable(),
    read_only: z.boolean(),
    owner: basicUser,
  })
  .meta({ id: 'AccessToken' })

/** The only answer that holds the token itself. */
export const accessTokenCreated = accessToken
  .extend({ value: z.string() })
  .meta({ id: 'AccessTokenCreated' })

/** DD/MM/YYYY, an ISO date or an ISO timestamp; the service judges the date itself. */
const expiryDate = text(64).nullable()

export const accessTokenCreate = z
  .object({
    name: text(50, 1),
    expiry_date: expiryDate.optional(),
    read_only: flag.default(true),
  })
  .meta({ id: 'AccessTokenCreate' })

export const accessTokenPatch = z
  .object({ name: text(50, 1), expiry_date: expiryDate, read_only: flag })
  .partial()
  .meta({ id: 'AccessTokenPatch' })

/** `spec/api-workspace.md` 1.7. */
export const accessTokenFields = listFields({
  equal: { id: 'integer', name: 'text', read_only: 'flag' },
  more: {
    created_date: 'date',
    updated_date: 'date',
    expiry_date: 'date',
    last_used_date: 'date',
  },
  search: ['name'],
  order: '-id',
})
export const accessTokenList = listOf(accessTokenFields)

/** The `Authorization` header as it came, and the client's address (failed passwords are counted per address). */
export const credential = z.object({ authorization: z.string(), address: z.string() })
export const identified = z
  .object({ principal, is_deprecated: z.boolean() })
  .meta({ id: 'Identified' })

export type AccessToken = z.infer<typeof accessToken>
