import { join } from 'node:path'
import {
  assertStoreReachable,
  createProcessChecks,
  type GatewayPorts,
  type GatewayServices,
  type HealthChecks,
  readConfig as readGatewayConfig,
  scaledImagePrefix,
  startGateway,
} from '@reticle/gateway'
import { endLeases, type RequestsDb, readConfig as readJobsConfig } from '@reticle/jobs-svc'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { listeningOrigin } from '@reticle/kit/net/links'
import type { Logger } from '@reticle/kit/observe/log'
import { startTraces } from '@reticle/kit/observe/traces'
import type { OnStop } from '@reticle/kit/process/lifecycle'
import { openPool } from '@reticle/kit/process/pools'
import { type Kysely, sql } from 'kysely'
import { type Administrator, firstAdministrator } from './administrator.ts'
import type { StandaloneConfig } from './config.ts'
import { forkConversion, startConversion } from './conversion/conversion.ts'
import { type Keys, readKeys } from './data-dir/keys.ts'
import { lockDataDir } from './data-dir/lock.ts'
import { objectsOf, openObjects } from './data-dir/objects.ts'
import { closeToOthers } from './data-dir/private-files.ts'
import { assertFinished } from './data-dir/unfinished.ts'
import { assertFree, freePort } from './free-port.ts'
import { prepareDatabase } from './postgres/databases.ts'
import { startPostgres } from './postgres/server.ts'
import { startServices } from './services.ts'
import { storageNets } from './storage-nets.ts'

export interface Standalone {
  /** Address `http://HOST:PORT`. */
  url: string
  admin: Administrator
}

/**
 * Starts everything in one process: the lock of the data directory, PostgreSQL, migrations, services, the conversion
 * process, the gateway. Registers each part with `onStop`, which stops them in reverse order.
 */
export async function startStandalone(
  config: StandaloneConfig,
  log: Logger,
  onStop: OnStop,
): Promise<Standalone> {
  const { dataDir, traces } = config
  onStop('lock', await lockDataDir(dataDir))
  await closeToOthers(dataDir)
  await assertFinished(dataDir)
  await assertFree(config.host, config.port)
  const worker = forkConversion()
  onStop('conversion process', async () => void worker.kill())
  onStop('traces', (await startTraces({ service: 'reticle', endpoint: traces })).stop)
  const keys = await readKeys(dataDir, config.secretKeys)
  const urls = await prepareDatabase(await databaseUrl(config, log, onStop), keys.passwordOf)

  const port = config.port || (await freePort())
  const env = {
    RETICLE_PUBLIC_URL: listeningOrigin(config.host, port),
    RETICLE_GATEWAY_RATE_USER: '60000',
    RETICLE_JOBS_TENANT_CONCURRENCY: String(Math.max(1, readJobsConfig(config.env).slots - 1)),
    ...storageNets(config),
    ...config.env,
    RETICLE_PORT: String(port),
    RETICLE_SECRET_KEYS: keys.secretKeys,
  }
  const { kafka, s3 } = config
  const objects = { folder: objectsOf(dataDir), s3 }
  const blobs = await openObjects(objects)
  const mailFolder = join(dataDir, 'mail')
  const servicePorts = { urls, blobs, kafka, log, env, mailFolder, onStop }
  const { services, identity } = await startServices(servicePorts)
  const admin = await firstAdministrator(identity, config)

  const { db: requests } = openPool<RequestsDb>(servicePorts, 'conversion', urls.requests, {
    max: 1,
  })
  const wiring = { urls, objects, env, log: config.log, traces }
  const conversion = await startConversion(
    worker,
    { urls, kafka, wiring },
    { log, endLeases: () => endLeases(requests) },
  )
  onStop('conversion', conversion.stop)

  const reached = await chooseTransport(config.transport, services, keys, onStop)
  const settings = readGatewayConfig(env)
  const ports: GatewayPorts = {
    services: reached,
    blobs,
    log: log.child({ service: 'gateway' }),
    settings,
    checks: healthChecks({ people: identity, requests, blobs, dataDir }, settings),
  }
  const gateway = await startGateway(ports)
  onStop('gateway', gateway.stop)
  return { url: gateway.url, admin }
}

/** Loads gRPC only for measurements, and for tests of that transport. */
async function chooseTransport(
  transport: StandaloneConfig['transport'],
  services: GatewayServices,
  { internalKey }: Keys,
  onStop: OnStop,
): Promise<GatewayServices> {
  if (transport !== 'grpc') return services
  const { overGrpc } = await import('./grpc.ts')
  return overGrpc(services, internalKey, onStop)
}

async function databaseUrl(config: StandaloneConfig, log: Logger, onStop: OnStop): Promise<string> {
  if (config.databaseUrl) return config.databaseUrl
  const onNotice = (sentence: string) => log.info(sentence)
  const postgres = await startPostgres({
    dataDir: config.dataDir,
    onNotice,
    onGone: exitWithoutDatabase,
  })
  onStop('PostgreSQL', postgres.stop)
  return postgres.url
}

/** Exits, because no part works without the database, and a new start recovers from the crash. */
function exitWithoutDatabase(): void {
  process.stderr.write('PostgreSQL ended by itself, so Reticle ends too: start it again.\n')
  process.exit(1)
}

interface Looked<P, R> {
  people: Kysely<P>
  requests: Kysely<R>
  blobs: BlobStore
  /** Directory of the database and the objects. */
  dataDir: string
}

/** Creates the checks of `GET /server/health`. Each throws an error that describes the fault. */
function healthChecks<P, R>(
  { people, requests, blobs, dataDir }: Looked<P, R>,
  settings: Parameters<typeof createProcessChecks>[0],
): HealthChecks {
  return {
    DatabaseBackend: async () => {
      await sql`select 1`.execute(people)
    },
    Cache: () => assertStoreReachable(blobs, scaledImagePrefix),
    Queue: async () => {
      await sql`select 1 from requests limit 1`.execute(requests)
    },
    ObjectStorage: () => assertStoreReachable(blobs, 'health'),
    ...createProcessChecks(settings, dataDir),
  }
}
