import type { Clock } from '@reticle/kit/clock'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'

export interface IdentitySettings {
  /** Usable access tokens a user may have; -1: any number (`RETICLE_PROJECTS_MAX_ACCESS_TOKENS`). */
  maxAccessTokens: number
  /** Days without use after which an access token is refused (`RETICLE_PROJECTS_ACCESS_TOKEN_STALE_DAYS`). */
  accessTokenStaleDays: number
  /** Whether signing in by password needs a verified e-mail (`RETICLE_PROJECTS_EMAIL_VERIFICATION`). */
  emailVerification: 'none' | 'mandatory'
}

export interface IdentityDeps {
  db: Kysely<ProjectsDb>
  clock: Clock
  settings: IdentitySettings
}
