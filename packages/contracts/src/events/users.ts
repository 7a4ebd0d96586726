import { z } from 'zod'
import { accessToken } from '../rest/auth.ts'
import { user } from '../rest/users.ts'
import { defineEvent } from './define.ts'

const key = (data: { user: { id: number } }) => `user:${data.user.id}`

/** Somebody registered; also who was invited before, and had a place kept under their address. */
export const userCreated = defineEvent('create:user', { key, data: z.object({ user }) })
export const userUpdated = defineEvent('update:user', {
  key,
  data: z.object({ user, before_update: user.partial() }),
})
/** The record as it was. What other services keep of somebody follows by this event. */
export const userDeleted = defineEvent('delete:user', { key, data: z.object({ user }) })

const tokenKey = (data: { accesstoken: { id: number } }) => `accesstoken:${data.accesstoken.id}`
/** Called as the log of events calls it (`spec/api-workspace.md` 6.2); the token itself is in no event. */
const accesstoken = accessToken

export const accessTokenCreated = defineEvent('create:accesstoken', {
  key: tokenKey,
  data: z.object({ accesstoken }),
})
export const accessTokenUpdated = defineEvent('update:accesstoken', {
  key: tokenKey,
  data: z.object({ accesstoken, before_update: accesstoken.partial() }),
})
/** It was revoked. */
export const accessTokenDeleted = defineEvent('delete:accesstoken', {
  key: tokenKey,
  data: z.object({ accesstoken }),
})

const signKey = (data: { user_id: number }) => `user:${data.user_id}`

/** Somebody signed in by password, or ended that; for the log of events alone. */
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
 * A sign-in by password failed, for the name of a user or an unknown name. Wrong passwords from one network are one event
 * a minute, with their number.
 */
export const loginRejected = defineEvent('reject:login', {
  key: ({ username, user_id, reason }) =>
    reason === 'wrong_password' ? `login:${username}` : `user:${user_id}`,
  data: z.object({
    /** As it was typed, in lower case and at most as long as a name can be. */
    username: z.string(),
    /** Whose account that would have been. */
    user_id: z.int().nullable(),
    reason: z.enum(rejectionReasons),
    /** Number of wrong passwords, in an event about several; `username` is then the most frequent name. */
    count: z.int().optional(),
    /** Number of different names. */
    names: z.int().optional(),
  }),
})
