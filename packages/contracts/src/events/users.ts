import { z } from 'zod'
import { accessToken } from '../rest/auth.ts'
import { user } from '../rest/users.ts'
import { defineEvent } from './define.ts'

const key = (data: { user: { id: number } }) => `user:${data.user.id}`

/** A user registered, possibly one who was invited before under the same address. */
export const userCreated = defineEvent('create:user', { key, data: z.object({ user }) })
export const userUpdated = defineEvent('update:user', {
  key,
  data: z.object({ user, before_update: user.partial() }),
})
/** Record before the deletion. Other services delete their data of the user when they receive it. */
export const userDeleted = defineEvent('delete:user', { key, data: z.object({ user }) })

const tokenKey = (data: { accesstoken: { id: number } }) => `accesstoken:${data.accesstoken.id}`
/** Named as in the event log; no event contains the token itself. */
const accesstoken = accessToken

export const accessTokenCreated = defineEvent('create:accesstoken', {
  key: tokenKey,
  data: z.object({ accesstoken }),
})
export const accessTokenUpdated = defineEvent('update:accesstoken', {
  key: tokenKey,
  data: z.object({ accesstoken, before_update: accesstoken.partial() }),
})
/** The token was revoked. */
export const accessTokenDeleted = defineEvent('delete:accesstoken', {
  key: tokenKey,
  data: z.object({ accesstoken }),
})

const signKey = (data: { user_id: number }) => `user:${data.user_id}`

/** A user signed in by password, or signed out; only for the event log. */
export const userSignedIn = defineEvent('login:user', {
  key: signKey,
  data: z.object({ user_id: z.int() }),
})
export const userSignedOut = defineEvent('logout:user', {
  key: signKey,
  data: z.object({ user_id: z.int() }),
})

export const rejectionReasons = ['wrong_password', 'disabled', 'unverified_email'] as const

/**
 * A sign-in by password failed, for the name of a user or an unknown name. Wrong passwords from one network are
 * combined into one event per minute, with their number.
 */
export const loginRejected = defineEvent('reject:login', {
  key: ({ username, user_id, reason }) =>
    reason === 'wrong_password' ? `login:${username}` : `user:${user_id}`,
  data: z.object({
    /** Name as typed, in lower case, truncated to the maximum length of a name. */
    username: z.string(),
    /** Id of the account with that name. */
    user_id: z.int().nullable(),
    reason: z.enum(rejectionReasons),
    /** Number of wrong passwords, in an event about several; `username` is then the most frequent name. */
    count: z.int().optional(),
    /** Number of different names. */
    names: z.int().optional(),
  }),
})
