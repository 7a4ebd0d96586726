import { z } from 'zod'
import {
  accessToken,
  accessTokenCreate,
  accessTokenCreated,
  accessTokenList,
  accessTokenPatch,
  credential,
  detail,
  emailAddress,
  emailConfirmed,
  emailKey,
  identified,
  keyParams,
  login,
  loginAnswer,
  passwordChange,
  passwordReset,
  register,
  registered,
  signInAnswer,
  signOut,
} from '../rest/auth.ts'
import { idParams, ifMatch, nothing, page } from '../rest/common.ts'
import { metaUser, user, userList, userPatch } from '../rest/users.ts'
import { defineOperations, del, get, internal, patch, post } from './operation.ts'

/** Calls by clients that cannot sign in yet have a separate rate limit. */
const byAnyone = { access: 'anyone', by_token: 'always', limit: 'auth' } as const

/** With `with_time`, expiry dates include the time of day. */
const withTime = z.object({ with_time: z.boolean().optional() })

export const identity = defineOperations('IdentityService', {
  login: post('/auth/login', {
    access: 'anyone',
    limit: 'auth',
    body: login,
    answers: { 200: loginAnswer },
    summary: 'Sign in with user name or e-mail and password; sets the cookies of a session',
    by: 'gateway',
  }),
  logout: post('/auth/logout', {
    access: 'anyone',
    by_token: 'always',
    answers: { 200: detail },
    summary: 'End the session and the legacy token that this request carries',
    by: 'gateway',
  }),
  /** Implementation of `login` and `logout` without cookies, which the gateway handles. */
  signIn: internal({ body: login, answers: { 200: signInAnswer } }),
  signOut: internal({ query: signOut, answers: { 200: detail } }),
  register: post('/auth/register', {
    ...byAnyone,
    body: register,
    answers: { 201: registered },
    summary: 'Register an account',
  }),
  changePassword: post('/auth/password/change', {
    by_token: 'always',
    body: passwordChange,
    answers: { 200: detail },
    summary: 'Change the password; ends all other sessions and all legacy tokens',
  }),
  resetPassword: post('/auth/password/reset', {
    ...byAnyone,
    body: emailAddress,
    answers: { 200: detail },
    summary: 'Request a mail to reset the password',
  }),
  confirmPasswordReset: post('/auth/password/reset/confirm', {
    ...byAnyone,
    body: passwordReset,
    answers: { 200: detail },
    summary: 'Set a new password with the key of the mail',
  }),
  verifyEmail: post('/auth/email/verify', {
    ...byAnyone,
    body: emailKey,
    answers: { 200: detail },
    summary: 'Verify an e-mail address with the key that was sent to it',
  }),
  resendEmail: post('/auth/email/resend', {
    ...byAnyone,
    body: emailAddress,
    answers: { 200: detail },
    summary: 'Request another verification mail',
  }),
  followEmailLink: get('/auth/account-confirm-email/:key', {
    access: 'anyone',
    params: keyParams,
    answers: { 302: nothing },
    summary: 'Link of the verification mail: verifies the address and redirects to the console',
    by: 'gateway',
  }),
  /** Implementation of `followEmailLink`. */
  confirmEmail: internal({ query: keyParams, answers: { 200: emailConfirmed } }),
  listUsers: get('/users', { query: userList, answers: { 200: page(metaUser, 'MetaUserPage') } }),
  getSelf: get('/users/self', { answers: { 200: user }, summary: 'The signed-in user' }),
  getUser: get('/users/:id', { params: idParams, answers: { 200: metaUser } }),
  updateUser: patch('/users/:id', {
    by_token: 'never',
    params: idParams,
    body: userPatch,
    answers: { 200: user },
  }),
  deleteUser: del('/users/:id', {
    by_token: 'never',
    params: idParams,
    answers: { 204: nothing },
    summary: 'Delete an account; objects that it owned are kept without an owner',
  }),
  listAccessTokens: get('/auth/access_tokens', {
    handed: withTime,
    query: accessTokenList,
    answers: { 200: page(accessToken, 'AccessTokenPage') },
  }),
  createAccessToken: post('/auth/access_tokens', {
    handed: withTime,
    by_token: 'never',
    body: accessTokenCreate,
    etag: 'date',
    answers: { 201: accessTokenCreated },
    summary: 'Create an access token; only this response contains its value',
  }),
  getCurrentAccessToken: get('/auth/access_tokens/self', {
    handed: withTime,
    etag: 'date',
    answers: { 200: accessToken },
  }),
  getAccessToken: get('/auth/access_tokens/:id', {
    handed: withTime,
    params: idParams,
    etag: 'date',
    answers: { 200: accessToken },
  }),
  updateAccessToken: patch('/auth/access_tokens/:id', {
    handed: withTime,
    by_token: 'never',
    params: idParams,
    headers: ifMatch,
    body: accessTokenPatch,
    etag: 'date',
    answers: { 200: accessToken },
  }),
  deleteAccessToken: del('/auth/access_tokens/:id', {
    by_token: 'never',
    params: idParams,
    headers: ifMatch,
    answers: { 204: nothing },
    summary: 'Revoke an access token permanently',
  }),
  authenticate: internal({ query: credential, answers: { 200: identified } }),
})
