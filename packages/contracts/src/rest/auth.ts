import { z } from 'zod'
import { flag, rawText, text, timestamp } from './common.ts'
import { dialect } from './dialects.ts'
import { listFields, listOf } from './lists.ts'
import { principal } from './principal.ts'
import { basicUser, email, username } from './users.ts'

/** Sign-in and access tokens. See docs/spec/access.md#sign-in-and-registration. */

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

/** Result of a sign-in: the legacy token, and the value of the session cookie. */
export const signInAnswer = loginAnswer.extend({ session: z.string() }).meta({ id: 'SignInAnswer' })

/** Session that ends together with the credential of a sign-out, if the client sent both. */
export const signOut = z.object({ session: z.string().max(256).optional() })

/**
 * A user name chosen at registration has a minimum length; the service checks the password and whether names are free.
 */
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

/** `key` is a legacy token; null if the e-mail address must be verified first. */
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

/** `uid` and `token` are parts of the link in the mail. */
export const passwordReset = z
  .object({
    uid: text(64, 1),
    token: text(256, 1),
    new_password1: rawText(256),
    new_password2: rawText(256),
  })
  .meta({ id: 'PasswordReset' })

/** Target of the redirect after the link in the mail was followed. */
export const emailConfirmed = z.object({ location: z.string() }).meta({ id: 'EmailConfirmed' })
export const keyParams = z.object({ key: z.string().max(256) })

export const accessToken = z
  .object({
    id: z.int(),
    name: z.string(),
    created_date: timestamp,
    updated_date: timestamp,
    /** DD/MM/YYYY; null if it never expires. */
    expiry_date: z.string().nullable(),
    last_used_date: timestamp.nullable(),
    read_only: z.boolean(),
    /** Default dialect of calls with the token. */
    dialect: z.string(),
    owner: basicUser,
  })
  .meta({ id: 'AccessToken' })

/** The only response that contains the token itself. */
export const accessTokenCreated = accessToken
  .extend({ value: z.string() })
  .meta({ id: 'AccessTokenCreated' })

/** DD/MM/YYYY, an ISO date or an ISO timestamp; the service validates the date itself. */
const expiryDate = text(64).nullable()

export const accessTokenCreate = z
  .object({
    name: text(50, 1),
    expiry_date: expiryDate.optional(),
    read_only: flag.default(true),
    /** Default: `service`. */
    dialect: dialect.optional(),
  })
  .meta({ id: 'AccessTokenCreate' })

export const accessTokenPatch = z
  .object({ name: text(50, 1), expiry_date: expiryDate, read_only: flag, dialect })
  .partial()
  .meta({ id: 'AccessTokenPatch' })

/** Fields of the list of access tokens. */
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
 * The `Authorization` header or the value of a session cookie, and the address of the client (failed passwords are
 * counted per address).
 */
export const credential = z.object({
  authorization: z.string().optional(),
  session: z.string().optional(),
  address: z.string(),
})
/**
 * `dialect` is that of an access token. With `is_renewed` the lifetime of the session was extended, and that of its
 * cookie must be as well.
 */
export const identified = z
  .object({
    principal,
    is_deprecated: z.boolean(),
    is_renewed: z.boolean().optional(),
    dialect: z.string().optional(),
  })
  .meta({ id: 'Identified' })

export type AccessToken = z.infer<typeof accessToken>
