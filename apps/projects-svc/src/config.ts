import { readEnv, setting } from '@reticle/kit/config'
import { z } from 'zod'
import type { IdentitySettings } from './identity/index.ts'
import type { AnnotationsChangedSettings } from './jobs/annotations-changed.ts'
import type { AttachSettings } from './media/attach.ts'

/** What projects-svc is told at start (`reliability.md` 16.5). */
export interface ProjectsSettings extends AttachSettings, AnnotationsChangedSettings {
  identity: IdentitySettings
}

const variables = z.object({
  RETICLE_PROJECTS_MAX_ACCESS_TOKENS: setting.number(50).pipe(z.int().min(-1)),
  RETICLE_PROJECTS_ACCESS_TOKEN_STALE_DAYS: setting.number(180).pipe(z.int().min(1)),
  RETICLE_PROJECTS_EMAIL_VERIFICATION: z.enum(['none', 'mandatory']).default('none'),
  RETICLE_PROJECTS_MAX_JOBS_PER_TASK: setting.number(5000).pipe(z.int().min(1)),
  RETICLE_PROJECTS_AUTO_IN_PROGRESS: setting.flag(true),
})

/** Names of environment variables that mean something here. */
export const settingNames = Object.keys(variables.shape)

/** @throws ConfigError naming every variable that cannot be used */
export function readConfig(env: Record<string, string | undefined>): ProjectsSettings {
  const given = readEnv(variables, env)
  return Object.freeze({
    max_jobs_per_task: given.RETICLE_PROJECTS_MAX_JOBS_PER_TASK,
    auto_in_progress: given.RETICLE_PROJECTS_AUTO_IN_PROGRESS,
    identity: Object.freeze({
      maxAccessTokens: given.RETICLE_PROJECTS_MAX_ACCESS_TOKENS,
      accessTokenStaleDays: given.RETICLE_PROJECTS_ACCESS_TOKEN_STALE_DAYS,
      emailVerification: given.RETICLE_PROJECTS_EMAIL_VERIFICATION,
    }),
  })
}
