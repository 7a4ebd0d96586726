import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Tls } from '../rpc/grpc/tls.ts'
import { ConfigError, setting } from '../settings/config.ts'
import { defineSettings, requireSettings, type SettingsPart } from '../settings/parts.ts'

/** Settings that the processes of a cluster share. See docs/spec/reliability.md#settings. */

/** Log levels from the most to the least verbose. */
export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Settings of every process: log, probes and drain time. */
export const processPart = defineSettings(
  z.object({
    RETICLE_HOST: z.string().default('127.0.0.1'),
    RETICLE_LOG_LEVEL: z.enum(levels).default('info'),
    RETICLE_LOG_FORMAT: z.enum(['pretty', 'json']).default('json'),
    RETICLE_METRICS_PORT: setting.port(9464),
    RETICLE_DRAIN_SECONDS: z.coerce.number().min(0).max(60).default(5),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  }),
  (given) => ({
    host: given.RETICLE_HOST,
    log: { level: given.RETICLE_LOG_LEVEL, format: given.RETICLE_LOG_FORMAT },
    /** Port; 0 selects a free one. */
    metricsPort: given.RETICLE_METRICS_PORT,
    /** Milliseconds between "not ready" and the end of serving, which load balancers need to notice. */
    drainMs: given.RETICLE_DRAIN_SECONDS * 1000,
    traces: given.OTEL_EXPORTER_OTLP_ENDPOINT,
  }),
)
export type ProcessSettings = ReturnType<typeof processPart>

const postgres = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'Expected postgresql://role:password@host:port/database',
})

/**
 * Builds the part with the addresses of the two roles of a schema; `prefix` names the service in
 * `RETICLE_<PREFIX>_DATABASE_URL`.
 */
export function databasePart(prefix: string): SettingsPart<{ url: string; owner: string }> {
  const own = `RETICLE_${prefix}_DATABASE_URL`
  const owner = `RETICLE_${prefix}_OWNER_DATABASE_URL`
  const shared = 'RETICLE_DATABASE_URL'
  const schema = z.object({
    [own]: postgres.optional(),
    [owner]: postgres.optional(),
    [shared]: postgres.optional(),
  })
  const read = defineSettings(schema, (given) => {
    const url = given[own] ?? given[shared]
    return url ? { url, owner: given[owner] ?? url } : undefined
  })
  return requireSettings(read, `${own}: needed: the address of the service's role`)
}

const withPort = /^[^\s:]\S*:\d+$/

const kafkaSchema = z.object({
  RETICLE_KAFKA_BROKERS: setting
    .list()
    .refine((brokers) => brokers.every((broker) => withPort.test(broker)), {
      error: 'Expected host:port,host:port',
    })
    .optional(),
  RETICLE_KAFKA_SSL: setting.flag(false),
  RETICLE_KAFKA_SASL_MECHANISM: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
  RETICLE_KAFKA_SASL_USERNAME: z.string().optional(),
  RETICLE_KAFKA_SASL_PASSWORD: z.string().optional(),
  RETICLE_KAFKA_SESSION_SECONDS: z.coerce.number().min(6).max(300).default(30),
})

/** Schema of the Kafka settings as they are passed to processes and threads. */
export const kafkaSettings = z.object({
  /** Addresses `host:port`. */
  brokers: z.array(z.string()),
  ssl: z.boolean(),
  /**
   * Milliseconds that the partitions of a dead member stay unassigned,
   * and that readers wait for a restart of the only broker.
   */
  sessionMs: z.number(),
  sasl: z
    .object({
      mechanism: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']),
      username: z.string(),
      password: z.string(),
    })
    .optional(),
})
export type KafkaSettings = z.infer<typeof kafkaSettings>

function kafkaOf(given: Readonly<z.output<typeof kafkaSchema>>): KafkaSettings | undefined {
  const brokers = given.RETICLE_KAFKA_BROKERS ?? []
  if (brokers.length === 0) return undefined
  const ssl = given.RETICLE_KAFKA_SSL
  const sessionMs = given.RETICLE_KAFKA_SESSION_SECONDS * 1000
  const mechanism = given.RETICLE_KAFKA_SASL_MECHANISM
  if (!mechanism) return { brokers, ssl, sessionMs }
  const username = given.RETICLE_KAFKA_SASL_USERNAME
  const password = given.RETICLE_KAFKA_SASL_PASSWORD
  if (!username) throw new ConfigError(['RETICLE_KAFKA_SASL_USERNAME: needed with a mechanism'])
  if (!password) throw new ConfigError(['RETICLE_KAFKA_SASL_PASSWORD: needed with a mechanism'])
  return { brokers, ssl, sessionMs, sasl: { mechanism, username, password } }
}

/** Kafka settings, if present; without them events use the log in PostgreSQL. */
export const kafkaPart = defineSettings(kafkaSchema, kafkaOf)

/** Kafka settings, which a cluster requires. */
export const kafkaNeeded = requireSettings(
  kafkaPart,
  'RETICLE_KAFKA_BROKERS: needed: host:port,host:port',
)

const s3Schema = z.object({
  RETICLE_S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  RETICLE_S3_ACCESS_KEY: z.string().optional(),
  RETICLE_S3_SECRET_KEY: z.string().optional(),
  RETICLE_S3_BUCKET: z.string().min(3).default('reticle'),
  RETICLE_S3_REGION: z.string().default('us-east-1'),
})

/** Schema of the S3 settings as they are passed to processes and threads. */
export const s3Settings = z.object({
  /** Address `http(s)://host:port`. */
  endpoint: z.string(),
  accessKey: z.string(),
  secretKey: z.string(),
  bucket: z.string(),
  region: z.string(),
})
export type S3Settings = z.infer<typeof s3Settings>

function s3Of(given: Readonly<z.output<typeof s3Schema>>): S3Settings | undefined {
  const { RETICLE_S3_ENDPOINT: endpoint, RETICLE_S3_ACCESS_KEY: accessKey } = given
  if (!endpoint) return undefined
  const secretKey = given.RETICLE_S3_SECRET_KEY
  if (!accessKey) throw new ConfigError(['RETICLE_S3_ACCESS_KEY: needed with an endpoint'])
  if (!secretKey) throw new ConfigError(['RETICLE_S3_SECRET_KEY: needed with an endpoint'])
  const { RETICLE_S3_BUCKET: bucket, RETICLE_S3_REGION: region } = given
  return { endpoint, accessKey, secretKey, bucket, region }
}

/** S3 settings, if present; without them objects are files. */
export const s3Part = defineSettings(s3Schema, s3Of)

/** S3 settings, which a cluster requires. */
export const s3Needed = requireSettings(s3Part, 'RETICLE_S3_ENDPOINT: needed: http(s)://host:port')

/** Proof that a call comes from a service of this installation: signing keys, and certificates if present. */
export const internalPart = defineSettings(
  z.object({
    RETICLE_INTERNAL_KEYS: setting.list(),
    RETICLE_GRPC_PORT: setting.port(50_051),
    RETICLE_TLS_CERT: z.string().optional(),
    RETICLE_TLS_KEY: z.string().optional(),
    RETICLE_TLS_CA: z.string().optional(),
  }),
  (given) => {
    const keys = given.RETICLE_INTERNAL_KEYS
    if (keys.length === 0 || keys.some((key) => key.length < 32)) {
      throw new ConfigError([
        'RETICLE_INTERNAL_KEYS: needed: keys of at least 32 characters, newest first, separated by commas',
      ])
    }
    const files = {
      RETICLE_TLS_CERT: given.RETICLE_TLS_CERT,
      RETICLE_TLS_KEY: given.RETICLE_TLS_KEY,
      RETICLE_TLS_CA: given.RETICLE_TLS_CA,
    }
    return { keys, port: given.RETICLE_GRPC_PORT, tls: readTls(files) }
  },
)
export type InternalSettings = ReturnType<typeof internalPart>

function readTls(files: Record<string, string | undefined>): Tls | undefined {
  const given = Object.entries(files).filter(([, path]) => path)
  if (given.length === 0) return undefined
  const missing = Object.entries(files).filter(([, path]) => !path)
  if (missing.length > 0) {
    throw new ConfigError(missing.map(([name]) => `${name}: needed beside the other two files`))
  }
  const problems: string[] = []
  const [cert, key, ca] = given.map(([name, path = '']) => {
    try {
      return readFileSync(path)
    } catch {
      problems.push(`${name}: the file cannot be read`)
      return Buffer.alloc(0)
    }
  })
  if (problems.length > 0 || !cert || !key || !ca) throw new ConfigError(problems)
  return { cert, key, ca }
}

/** Builds the part with the gRPC address of a service; `prefix` as in `databasePart`. */
export function addressPart(prefix: string): SettingsPart<string> {
  const name = `RETICLE_${prefix}_ADDRESS`
  const target = z
    .string()
    .refine((address) => address.split(',').every((one) => withPort.test(one)), {
      error: 'Expected a gRPC target with a port, such as dns:///host:50051',
    })
  const read = defineSettings(z.object({ [name]: target.optional() }), (given) => given[name])
  return requireSettings(read, `${name}: needed: a gRPC target such as dns:///host:50051`)
}
