/**
 * Front door of the sealed folder of users and their credentials
 * (docs/adr/0001-keep-users-and-organizations-in-projects-svc.md). Code outside may not read its tables or import
 * its other files.
 */
export { accessTokenRules } from './access-tokens/policy.ts'
export { purgeAccessTokens } from './access-tokens/repo-purge.ts'
export { userRules } from './accounts/policy.ts'
export type { IdentityDeps, Memberships } from './deps.ts'
export { diskMailer } from './mail/disk.ts'
export type { Mail, Mailer } from './mail/mailer.ts'
export { postOf } from './mail/post.ts'
export { retryingMailer } from './mail/retrying.ts'
export { smtpMailer } from './mail/smtp.ts'
export { logFailures, purgeOrigins } from './passwords/attempts.ts'
export { accountOf, type Invitee, inviteeOf } from './placeholder.ts'
export { identityHandlers } from './rpc.ts'
export { purgeSessions } from './sessions/life.ts'
export { basicUsers, createUser, ensureAdministrator, type NewUser } from './users.ts'
