/**
 * Front door of the sealed room of users and what they sign in with (`design.md` 2, ADR 0001): nothing outside reads its
 * tables or files in another way.
 */
export { accessTokenRules } from './access-tokens/policy.ts'
export { purgeAccessTokens } from './access-tokens/purge.ts'
export type { IdentityDeps } from './deps.ts'
export { identityHandlers } from './rpc.ts'
export { basicUsers, createUser, ensureAdministrator, type NewUser } from './users.ts'
