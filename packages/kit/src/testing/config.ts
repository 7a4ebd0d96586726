import { z } from 'zod'
import { readEnv, setting } from '../settings/config.ts'

const variables = z.object({
  RETICLE_TEST_KAFKA_BROKERS: setting.list(),
  RETICLE_TEST_S3_ENDPOINT: z.url(),
  RETICLE_TEST_S3_ACCESS_KEY: z.string(),
  RETICLE_TEST_S3_SECRET_KEY: z.string(),
  RETICLE_TEST_CONTROL: z.url().optional(),
})

/**
 * Reads the addresses of the real servers that the setup of the vitest project `cluster` has found or started.
 * @throws ConfigError outside of that project
 */
export function readTestServers() {
  const given = readEnv(variables, process.env)
  return {
    brokers: given.RETICLE_TEST_KAFKA_BROKERS,
    /**
     * Address for `POST <control>/kafka/restart`; absent if the test run may not stop the servers
     * (`tools/cluster/src/control.ts`).
     */
    control: given.RETICLE_TEST_CONTROL,
    s3: {
      endpoint: given.RETICLE_TEST_S3_ENDPOINT,
      accessKey: given.RETICLE_TEST_S3_ACCESS_KEY,
      secretKey: given.RETICLE_TEST_S3_SECRET_KEY,
      region: 'us-east-1',
    },
  }
}

const secondS3 = z.object({
  RETICLE_TEST_SECOND_S3_ENDPOINT: z.url(),
  RETICLE_TEST_SECOND_S3_ACCESS_KEY: z.string(),
  RETICLE_TEST_SECOND_S3_SECRET_KEY: z.string(),
})

/**
 * Reads the address of an S3 server other than MinIO.
 * @throws ConfigError outside of the vitest project `cluster`
 */
export function readSecondS3() {
  const given = readEnv(secondS3, process.env)
  return {
    endpoint: given.RETICLE_TEST_SECOND_S3_ENDPOINT,
    accessKey: given.RETICLE_TEST_SECOND_S3_ACCESS_KEY,
    secretKey: given.RETICLE_TEST_SECOND_S3_SECRET_KEY,
    region: 'us-east-1',
  }
}

const emulators = z.object({
  RETICLE_TEST_AZURE_CONNECTION: z.string(),
  RETICLE_TEST_GCS_ENDPOINT: z.url(),
})

/**
 * Reads the addresses of the emulators of the vitest project `cluster`: a connection string for Azure, and an endpoint
 * for Google.
 * @throws ConfigError outside of that project
 */
export function readTestEmulators() {
  const given = readEnv(emulators, process.env)
  return { azure: given.RETICLE_TEST_AZURE_CONNECTION, google: given.RETICLE_TEST_GCS_ENDPOINT }
}

const counts = z.object({ RETICLE_TEST_FULL: setting.flag(false) })

/** Returns true if tests run with the full counts and times instead of a short version (`npm run soak`). */
export function isFullRun(): boolean {
  return readEnv(counts, process.env).RETICLE_TEST_FULL
}

const scores = z.object({ RETICLE_TEST_SCORES_FILE: z.string().optional() })

/** Returns the file in which tests record their measurements, one per line; undefined without one (`npm run soak`). */
export function scoresFile(): string | undefined {
  return readEnv(scores, process.env).RETICLE_TEST_SCORES_FILE
}
