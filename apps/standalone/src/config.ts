import { resolve } from 'node:path'
import { kafkaPart, levels, s3Part } from '@reticle/kit/process/settings'
import { type Env, environment, setting } from '@reticle/kit/settings/config'
import { defineSettings, namesOf, readParts } from '@reticle/kit/settings/parts'
import { processParts as projects } from '@reticle/projects-svc'
import { z } from 'zod'

/**
 * Settings of the single-process mode itself (docs/operations.md); each service reads its own from the same
 * environment.
 */
const own = defineSettings(
  z.object({
    RETICLE_HOST: z.string().default('127.0.0.1'),
    RETICLE_PORT: setting.port(8080),
    RETICLE_DATA_DIR: z.string().default('.reticle'),
    RETICLE_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    RETICLE_PUBLIC_URL: setting.publicUrl(),
    RETICLE_SECRET_KEYS: z.string().optional(),
    RETICLE_LOG_LEVEL: z.enum(levels).default('info'),
    RETICLE_LOG_FORMAT: z.enum(['pretty', 'json']).optional(),
    RETICLE_TRANSPORT: z.enum(['in-process', 'grpc']).default('in-process'),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  }),
  (parsed) => ({
    host: parsed.RETICLE_HOST,
    port: parsed.RETICLE_PORT,
    dataDir: resolve(parsed.RETICLE_DATA_DIR),
    databaseUrl: parsed.RETICLE_DATABASE_URL,
    publicUrl: parsed.RETICLE_PUBLIC_URL,
    secretKeys: parsed.RETICLE_SECRET_KEYS,
    log: {
      level: parsed.RETICLE_LOG_LEVEL,
      format: parsed.RETICLE_LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json'),
    } as const,
    transport: parsed.RETICLE_TRANSPORT,
    traces: parsed.OTEL_EXPORTER_OTLP_ENDPOINT,
  }),
)

/** The operator's broker and S3 replace the embedded ones. */
const parts = { own, admin: projects.admin, kafka: kafkaPart, s3: s3Part }

/**
 * Reads the settings.
 *
 * @throws ConfigError that names every invalid variable
 */
export const readConfig = Object.assign(
  (env: Env = environment) => {
    const { own, ...parsed } = readParts(parts, env)
    return Object.freeze({ env, ...own, ...parsed })
  },
  { names: namesOf(parts) },
)
export type StandaloneConfig = ReturnType<typeof readConfig>
