import { cpus, tmpdir } from 'node:os'
import { archiveLimits } from '@reticle/formats/archive/zip-reader'
import { readEnv, setting } from '@reticle/kit/config'
import {
  addressPart,
  databasePart,
  internalPart,
  kafkaNeeded,
  s3Needed,
} from '@reticle/kit/process/settings'
import { z } from 'zod'

const positive = (fallback: number) => setting.number(fallback).pipe(z.int().min(1))

const variables = z.object({
  RETICLE_JOBS_SLOTS: positive(Math.max(1, cpus().length - 1)),
  RETICLE_JOBS_TENANT_CONCURRENCY: positive(4),
  RETICLE_JOBS_QUEUED_PER_USER: positive(1000),
  RETICLE_JOBS_QUEUED_PER_TENANT: positive(10_000),
  RETICLE_JOBS_RESULT_TTL_HOURS: positive(24),
  RETICLE_JOBS_UPLOAD_TTL_HOURS: positive(12),
  RETICLE_JOBS_ARCHIVE_ENTRIES: positive(archiveLimits.entries),
  RETICLE_JOBS_ARCHIVE_BYTES: positive(archiveLimits.bytes),
  RETICLE_JOBS_ARCHIVE_RATIO: positive(archiveLimits.ratio),
  RETICLE_TMP_DIR: z.string().default(tmpdir()),
})

/** Names of environment variables that mean something here. */
export const settingNames = Object.keys(variables.shape)

/** Settings of the API process and of its workers (`reliability.md` 16.5). */
export type Settings = ReturnType<typeof readConfig>

/**
 * Reads the settings of this service.
 *
 * @throws ConfigError naming every variable that cannot be used
 */
export function readConfig(env: Record<string, string | undefined>) {
  const given = readEnv(variables, env)
  return Object.freeze({
    slots: given.RETICLE_JOBS_SLOTS,
    tenant_concurrency: given.RETICLE_JOBS_TENANT_CONCURRENCY,
    queued_per_user: given.RETICLE_JOBS_QUEUED_PER_USER,
    queued_per_tenant: given.RETICLE_JOBS_QUEUED_PER_TENANT,
    result_ttl_hours: given.RETICLE_JOBS_RESULT_TTL_HOURS,
    upload_ttl_hours: given.RETICLE_JOBS_UPLOAD_TTL_HOURS,
    tmp_dir: given.RETICLE_TMP_DIR,
    limits: Object.freeze({
      entries: given.RETICLE_JOBS_ARCHIVE_ENTRIES,
      bytes: given.RETICLE_JOBS_ARCHIVE_BYTES,
      ratio: given.RETICLE_JOBS_ARCHIVE_RATIO,
    }),
  })
}

/** What the process of this service reads; its workers read the same. */
export const processParts = {
  settings: Object.assign(readConfig, { names: settingNames }),
  database: databasePart('JOBS'),
  kafka: kafkaNeeded,
  s3: s3Needed,
  internal: internalPart,
  projects: addressPart('PROJECTS'),
  annotations: addressPart('ANNOTATIONS'),
}

/** The environment of this process. */
export const environment: Record<string, string | undefined> = process.env
