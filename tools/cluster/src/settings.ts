import type { Access } from '@reticle/kit/db/provision'
import { schemas } from './database.ts'

/** Ports of a process: a service has `grpc`, a gateway `http`. */
export interface ProcessPorts {
  metrics: number
  grpc?: number
  http?: number
}

export interface ClusterAdministrator {
  username: string
  password: string
  email: string
}

export type Settings = Record<string, string | undefined>

interface SharedOptions {
  /** The settings `RETICLE_TEST_*`: addresses of the running PostgreSQL, Kafka and object store. */
  parts: Settings
  keys: { internal: string; secret: string }
  bucket: string
  /** By the name of the process. */
  ports: ReadonlyMap<string, ProcessPorts>
}

interface OwnOptions {
  app: string
  ports: ProcessPorts
  access: ReadonlyMap<string, Access>
  admin: ClusterAdministrator
}

/**
 * Returns the settings that all processes of a cluster share (`docs/operations.md`), as in the chart.
 */
export function sharedSettings({ parts, keys, bucket, ports }: SharedOptions): Settings {
  const addresses = Object.keys(schemas).map((service) => {
    const targets = [...ports]
      .filter(([name]) => name.startsWith(`${service}-`))
      .map(([, { grpc }]) => `127.0.0.1:${grpc}`)
    return [`RETICLE_${service.toUpperCase()}_ADDRESS`, `ipv4:${targets.join(',')}`]
  })
  return {
    ...Object.fromEntries(addresses),
    RETICLE_KAFKA_BROKERS: parts.RETICLE_TEST_KAFKA_BROKERS,
    RETICLE_KAFKA_SESSION_SECONDS: '10', // one broker: the waiting time of consumers after its restart
    RETICLE_S3_ENDPOINT: parts.RETICLE_TEST_S3_ENDPOINT,
    RETICLE_S3_ACCESS_KEY: parts.RETICLE_TEST_S3_ACCESS_KEY,
    RETICLE_S3_SECRET_KEY: parts.RETICLE_TEST_S3_SECRET_KEY,
    RETICLE_S3_BUCKET: bucket,
    RETICLE_INTERNAL_KEYS: keys.internal,
    RETICLE_SECRET_KEYS: keys.secret,
    RETICLE_HOST: '127.0.0.1',
    RETICLE_LOG_FORMAT: 'json',
    RETICLE_DRAIN_SECONDS: '0', // no load balancer has to notice
    RETICLE_DATA_DIR: undefined,
  }
}

/** Returns the settings of a single process. */
export function ownSettings({ app, ports, access, admin }: OwnOptions): Settings {
  const { grpc, http, metrics } = ports
  const word = app === 'worker' ? 'jobs' : app
  const prefix = `RETICLE_${word.toUpperCase()}`
  const roles = access.get(word)
  return {
    RETICLE_METRICS_PORT: String(metrics),
    ...(grpc && { RETICLE_GRPC_PORT: String(grpc) }),
    ...(http && { RETICLE_PORT: String(http) }),
    // A service does not call itself, and its own address would be reported as an unknown setting.
    ...(roles && { [`${prefix}_DATABASE_URL`]: roles.writer, [`${prefix}_ADDRESS`]: undefined }),
    ...(app === 'projects' && {
      RETICLE_ADMIN_USERNAME: admin.username,
      RETICLE_ADMIN_PASSWORD: admin.password,
      RETICLE_ADMIN_EMAIL: admin.email,
      RETICLE_PROJECTS_REGISTRATION: 'true', // the gateways listen on loopback
    }),
  }
}
