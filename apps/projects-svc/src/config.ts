import { readEnv, setting } from '@reticle/kit/config'
import { part } from '@reticle/kit/process/parts'
import { databasePart, internalPart, kafkaNeeded } from '@reticle/kit/process/settings'
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

/** The first administrator, made at a start that finds no user; without a password none is made. */
const adminPart = part(
  z.object({
    RETICLE_ADMIN_USERNAME: z.string().min(1).max(150).default('admin'),
    RETICLE_ADMIN_PASSWORD: z.string().min(8).max(256).optional(),
    RETICLE_ADMIN_EMAIL: z.string().max(254).default('admin@localhost'),
  }),
  (given) => ({
    username: given.RETICLE_ADMIN_USERNAME,
    password: given.RETICLE_ADMIN_PASSWORD,
    email: given.RETICLE_ADMIN_EMAIL,
  }),
)

/** What the process of this service reads. */
export const processParts = {
  settings: Object.assign(readConfig, { names: settingNames }),
  database: databasePart('PROJECTS'),
  kafka: kafkaNeeded,
  internal: internalPart,
  admin: adminPart,
}

/** The environment of this process. */
export const environment: Record<string, string | undefined> = process.env
