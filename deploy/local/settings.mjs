import { schemas } from './database.mjs'

/** The settings of the processes of a cluster (`docs/operations.md`), as the chart would make them. */

/**
 * What all of them share. `parts` are the settings of the real servers, `RETICLE_TEST_*`; `ports` a map from the name of a
 * process to `{grpc, metrics}`, `{http, metrics}` of a gateway, `{metrics}` of a worker.
 */
export function sharedSettings({ parts, keys, bucket, ports }) {
  const addresses = Object.keys(schemas).map((service) => {
    const targets = [...ports]
      .filter(([name]) => name.startsWith(`${service}-`))
      .map(([, { grpc }]) => `127.0.0.1:${grpc}`)
    return [`RETICLE_${service.toUpperCase()}_ADDRESS`, `ipv4:${targets.join(',')}`]
  })
  return {
    ...Object.fromEntries(addresses),
    RETICLE_KAFKA_BROKERS: parts.RETICLE_TEST_KAFKA_BROKERS,
    RETICLE_KAFKA_SESSION_SECONDS: '10', // one broker: what readers wait after its restart
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

/** What only one process has. */
export function ownSettings({ app, ports, access, admin }) {
  const { grpc, http, metrics } = ports
  const word = app === 'worker' ? 'jobs' : app
  const prefix = `RETICLE_${word.toUpperCase()}`
  const roles = access.get(word)
  return {
    RETICLE_METRICS_PORT: String(metrics),
    ...(grpc && { RETICLE_GRPC_PORT: String(grpc) }),
    ...(http && { RETICLE_PORT: String(http) }),
    // Nobody calls itself, and its own address would look like a misspelt setting.
    ...(roles && { [`${prefix}_DATABASE_URL`]: roles.writer, [`${prefix}_ADDRESS`]: undefined }),
    ...(app === 'projects' && {
      RETICLE_ADMIN_USERNAME: admin.username,
      RETICLE_ADMIN_PASSWORD: admin.password,
      RETICLE_ADMIN_EMAIL: admin.email,
      RETICLE_PROJECTS_REGISTRATION: 'true', // the gateways listen on loopback
    }),
  }
}
