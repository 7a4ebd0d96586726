import { resolve } from 'node:path'
import type { Env } from '@reticle/kit/config'
import { namesOf, part, readParts } from '@reticle/kit/process/parts'
import { kafkaPart, levels, s3Part } from '@reticle/kit/process/settings'
import { z } from 'zod'

/** Settings of the embedded mode itself (`docs/operations.md`); each service reads its own from the same environment. */
const variables = z.object({
  RETICLE_HOST: z.string().default('127.0.0.1'),
  RETICLE_PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  RETICLE_DATA_DIR: z.string().default('.reticle'),
  RETICLE_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  RETICLE_ADMIN_USERNAME: z.string().min(1).max(150).default('admin'),
  RETICLE_ADMIN_PASSWORD: z.string().min(8).max(256).optional(),
  RETICLE_ADMIN_EMAIL: z.string().max(254).default('admin@localhost'),
  RETICLE_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  RETICLE_SECRET_KEYS: z.string().optional(),
  RETICLE_LOG_LEVEL: z.enum(levels).default('info'),
  RETICLE_LOG_FORMAT: z.enum(['pretty', 'json']).optional(),
  RETICLE_TRANSPORT: z.enum(['in-process', 'grpc']).default('in-process'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
})

/** A broker and an S3 of one's own take the place of what is embedded. */
const backends = { kafka: kafkaPart, s3: s3Part }

/** Names of environment variables that mean something here. */
export const settingNames = [...Object.keys(variables.shape), ...namesOf(backends)]

/** The environment of this process. */
export const environment: Env = process.env

export type Config = ReturnType<typeof readConfig>

const own = part(variables, (given) => ({
  host: given.RETICLE_HOST,
  port: given.RETICLE_PORT,
  dataDir: resolve(given.RETICLE_DATA_DIR),
  databaseUrl: given.RETICLE_DATABASE_URL,
  admin: {
    username: given.RETICLE_ADMIN_USERNAME,
    password: given.RETICLE_ADMIN_PASSWORD,
    email: given.RETICLE_ADMIN_EMAIL,
  },
  publicUrl: given.RETICLE_PUBLIC_URL,
  secretKeys: given.RETICLE_SECRET_KEYS,
  log: {
    level: given.RETICLE_LOG_LEVEL,
    format: given.RETICLE_LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json'),
  } as const,
  transport: given.RETICLE_TRANSPORT,
  traces: given.OTEL_EXPORTER_OTLP_ENDPOINT,
}))

/** @throws ConfigError that names every bad variable at once */
export function readConfig(env: Env = environment) {
  const { mine, ...given } = readParts({ mine: own, ...backends }, env)
  return { env, ...mine, ...given }
}
