import { z } from 'zod'
import { readEnv, setting } from '../config.ts'

const variables = z.object({
  RETICLE_TEST_KAFKA_BROKERS: setting.list(),
  RETICLE_TEST_S3_ENDPOINT: z.url(),
  RETICLE_TEST_S3_ACCESS_KEY: z.string(),
  RETICLE_TEST_S3_SECRET_KEY: z.string(),
  RETICLE_TEST_CONTROL: z.url().optional(),
})

/**
 * The real servers that the setup of vitest's project `cluster` has found or started (`design.md` 3).
 *
 * @throws ConfigError outside of that project
 */
export function readTestServers() {
  const given = readEnv(variables, process.env)
  return {
    brokers: given.RETICLE_TEST_KAFKA_BROKERS,
    /** `POST <control>/kafka/restart`; absent where the servers are not ours to stop (`deploy/local/control.mjs`). */
    control: given.RETICLE_TEST_CONTROL,
    s3: {
      endpoint: given.RETICLE_TEST_S3_ENDPOINT,
      accessKey: given.RETICLE_TEST_S3_ACCESS_KEY,
      secretKey: given.RETICLE_TEST_S3_SECRET_KEY,
      region: 'us-east-1',
    },
  }
}

const emulators = z.object({
  RETICLE_TEST_AZURE_CONNECTION: z.string(),
  RETICLE_TEST_GCS_ENDPOINT: z.url(),
})

/** The emulators of that project: a connection string of Azure, and where Google is played. @throws ConfigError outside of it */
export function readTestEmulators() {
  const given = readEnv(emulators, process.env)
  return { azure: given.RETICLE_TEST_AZURE_CONNECTION, google: given.RETICLE_TEST_GCS_ENDPOINT }
}

const counts = z.object({ RETICLE_TEST_FULL: setting.flag(false) })

/** Whether tests run the full counts and times of `reliability.md` instead of a short run of the same (`npm run soak`). */
export function isFullRun(): boolean {
  return readEnv(counts, process.env).RETICLE_TEST_FULL
}

const scores = z.object({ RETICLE_TEST_SCORES_FILE: z.string().optional() })

/** Where tests note what they measured, a line each; undefined: nobody asks (`npm run soak`). */
export function scoresFile(): string | undefined {
  return readEnv(scores, process.env).RETICLE_TEST_SCORES_FILE
}
