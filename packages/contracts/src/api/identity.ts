import {
  accessToken,
  accessTokenCreate,
  accessTokenCreated,
  accessTokenList,
  accessTokenPatch,
  credential,
  detail,
  identified,
  login,
  loginAnswer,
} from '../rest/auth.ts'
import { idParams, nothing, page } from '../rest/common.ts'
import { user } from '../rest/users.ts'
import { del, get, internal, operations, patch, post } from './operation.ts'

export const identity = operations('IdentityService', {
  login: post('/auth/login', {
    access: 'anyone',
    limit: 'auth',
    body: login,
    answers: { 200: loginAnswer },
    summary: 'Sign in with user name or e-mail and password',
  }),
  logout: post('/auth/logout', {
    access: 'anyone',
    by_token: 'always',
    answers: { 200: detail },
    summary: 'Drop the legacy token that this request carries',
  }),
  getSelf: get('/users/self', { answers: { 200: user }, summary: 'The signed-in user' }),
  listAccessTokens: get('/auth/access_tokens', {
    query: accessTokenList,
    answers: { 200: page(accessToken, 'AccessTokenPage') },
  }),
  createAccessToken: post('/auth/access_tokens', {
    by_token: 'never',
    body: accessTokenCreate,
    answers: { 201: accessTokenCreated },
    summary: 'Make an access token; the only answer that shows its value',
  }),
  getCurrentAccessToken: get('/auth/access_tokens/self', { answers: { 200: accessToken } }),
  getAccessToken: get('/auth/access_tokens/:id', {
    params: idParams,
    answers: { 200: accessToken },
  }),
  updateAccessToken: patch('/auth/access_tokens/:id', {
    by_token: 'never',
    params: idParams,
    body: accessTokenPatch,
    answers: { 200: accessToken },
  }),
  deleteAccessToken: del('/auth/access_tokens/:id', {
    by_token: 'never',
    params: idParams,
    answers: { 204: nothing },
    summary: 'Revoke an access token, for good',
  }),
  authenticate: internal({ query: credential, answers: { 200: identified } }),
})
