import { z } from 'zod'
import { principal } from '../principal.ts'
import { flag, rawText, text, timestamp } from './common.ts'
import { listFields, listOf } from './lists.ts'
import { basicUser, email, username } from './users.ts'

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

/** What a sign-in is worth: the legacy token, and the value of the session's cookie. */
export const signInAnswer = loginAnswer.extend({ session: z.string() }).meta({ id: 'SignInAnswer' })

/** The session that goes with the credential of a sign-out, where the client has both. */
export const signOut = z.object({ session: z.string().max(256).optional() })

/** Who registers chooses a name that is not too short; the service judges the password and whether names are free. */
export const register = z
  .object({
    username: username(5),
    password1: rawText(256),
    password2: rawText(256),
    email: email.optional(),
    first_name: text(150).optional(),
    last_name: text(150).optional(),
  })
  .meta({ id: 'Register' })

/** `key` is a legacy token; null where the e-mail has to be verified first. */
export const registered = z
  .object({
    username: z.string(),
    email: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    email_verification_required: z.boolean(),
    key: z.string().nullable(),
  })
  .meta({ id: 'Registered' })

export const passwordChange = z
  .object({
    old_password: rawText(256),
    new_password1: rawText(256),
    new_password2: rawText(256),
  })
  .meta({ id: 'PasswordChange' })

export const emailAddress = z
  .object({ email: email.refine((given) => given !== '', 'This field may not be blank.') })
  .meta({ id: 'EmailAddress' })
export const emailKey = z.object({ key: text(256, 1) }).meta({ id: 'EmailKey' })

/** `uid` and `token` stand in the mail. */
export const passwordReset = z
  .object({
    uid: text(64, 1),
    token: text(256, 1),
    new_password1: rawText(256),
    new_password2: rawText(256),
  })
  .meta({ id: 'PasswordReset' })

/** Where the browser of whoever follows the link in the mail is sent. */
export const emailConfirmed = z.object({ location: z.string() }).meta({ id: 'EmailConfirmed' })
export const keyParams = z.object({ key: z.string().max(256) })

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
    /** What is spoken on calls with it, where nothing else says so. */
    dialect: z.string(),
    owner: basicUser,
  })
  .meta({ id: 'AccessToken' })

/** The only answer that holds the token itself. */
export const accessTokenCreated = accessToken
  .extend({ value: z.string() })
  .meta({ id: 'AccessTokenCreated' })

/** What clients speak: the language of the service, or a dialect (`spec/api-workspace.md` 9). */
const dialect = z.enum(['service', 'cvat'])

/** DD/MM/YYYY, an ISO date or an ISO timestamp; the service judges the date itself. */
const expiryDate = text(64).nullable()

export const accessTokenCreate = z
  .object({
    name: text(50, 1),
    expiry_date: expiryDate.optional(),
    read_only: flag.default(true),
    /** Absent: `service`. */
    dialect: dialect.optional(),
  })
  .meta({ id: 'AccessTokenCreate' })

export const accessTokenPatch = z
  .object({ name: text(50, 1), expiry_date: expiryDate, read_only: flag, dialect })
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

/**
 * The `Authorization` header as it came, or the value of a session's cookie, and the client's address (failed passwords
 * are counted per address).
 */
export const credential = z.object({
  authorization: z.string().optional(),
  session: z.string().optional(),
  address: z.string(),
})
/** `dialect`: of an access token. `is_renewed`: the session lives longer from now on, and so has its cookie to. */
export const identified = z
  .object({
    principal,
    is_deprecated: z.boolean(),
    is_renewed: z.boolean().optional(),
    dialect: z.string().optional(),
  })
  .meta({ id: 'Identified' })

export type AccessToken = z.infer<typeof accessToken>
