import { sql } from 'kysely'
import type { Bus, OnFailure } from '../bus/bus.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../db/connect.ts'
import { assertMigrated, type DatabaseSchema, migrateSchema } from '../db/migrate.ts'
import type { Logger } from '../observe/log.ts'
import type { SettingsParts } from '../settings/parts.ts'
import type { OnStop } from './lifecycle.ts'
import { type App, openWithRetry } from './program.ts'
import type { KafkaSettings } from './settings.ts'

/** Part of an application that resources need: its log and its shutdown. */
type Opener = { log: Logger; onStop: OnStop }

/** Connections of one service for short calls; streams of bytes have a separate pool. */
const connections = 8
const bulk = { max: 6, statement_timeout: 10 * 60_000 }

type PoolOptions = Pick<DatabaseOptions, 'max' | 'statement_timeout' | 'search_path' | 'plans'>

/** Opens a pool that closes when the process stops. */
export function openPool<T>(
  { log, onStop }: Opener,
  name: string,
  url: string,
  { max = connections, ...options }: PoolOptions = {},
): Database<T> {
  const onIdleError = (err: Error) => log.warn({ err }, `${name} lost a connection`)
  const database = openDatabase<T>(url, { application: name, max, onIdleError, ...options })
  onStop(`database of ${name}`, database.close)
  return database
}

/** Opens two pools of one service: one for short calls and one for streams. A commit on either calls the listeners. */
export function openPools<T>(
  opener: Opener,
  name: string,
  url: string,
  { plans, ...options }: Pick<PoolOptions, 'search_path' | 'plans'> = {},
) {
  const few = openPool<T>(opener, name, url, { plans, ...options })
  const keys = plans && ({ plans: 'keys' } as const)
  const many = openPool<T>(opener, `${name} bulk`, url, { ...bulk, ...keys, ...options })
  const onCommit = (listener: () => void) => {
    const forget = [few.onCommit(listener), many.onCommit(listener)]
    return () => {
      for (const each of forget) each()
    }
  }
  return { db: few.db, bulk: many.db, onCommit }
}

/**
 * Opens the bus on Kafka, which closes when the process stops, and creates missing topics. The client is loaded only
 * here, because an installation without Kafka starts faster without it.
 */
export async function openKafka(
  { log, onStop }: Opener,
  clientId: string,
  kafka: KafkaSettings,
): Promise<Bus> {
  const onError: OnFailure = (err, about) =>
    log.error({ err, ...about }, 'the bus goes on after an error')
  const options = { ...kafka, clientId, log, onError }
  const { createTopics, kafkaBus } = await import('../bus/kafka.ts')
  await createTopics(options)
  const bus = kafkaBus(options)
  onStop('bus', bus.close)
  return bus
}

type Around = Pick<App<SettingsParts>, 'log' | 'onStop' | 'signal' | 'probes'>

/** Opens the pools of a service after its schema is migrated, and adds the database to the readiness probe. */
export async function openSchema<T>(
  app: Around,
  name: string,
  url: string,
  { plans, ...wanted }: DatabaseSchema & Pick<PoolOptions, 'plans'>,
) {
  // A role of the service has this search path already, but an address shared by several services does not.
  const pools = openPools<T>(app, name, url, { search_path: [wanted.schema], plans })
  await openWithRetry(app, `the schema ${wanted.schema}`, () => assertMigrated(pools.db, wanted))
  app.probes.needs('database', async () => {
    await sql`select 1`.execute(pools.db)
  })
  return pools
}

/** Joins the bus of a cluster. It waits for the bus at the start, and adds the bus to the liveness probe. */
export async function joinBus(app: Around, clientId: string, kafka: KafkaSettings): Promise<Bus> {
  const bus = await openWithRetry(app, 'Kafka', () => openKafka(app, clientId, kafka))
  app.probes.livesBy('bus', bus.isAlive)
  return bus
}

/** Builds the command `migrate` of the program of a service, which migrates its schema and exits. */
export const migrateCommand = (schema: DatabaseSchema) => ({
  about: `brings the schema "${schema.schema}" up to date and ends`,
  reads: ['database'] as const,
  run: async ({ database }: { database: { owner: string } }, log: Logger) => {
    await migrateSchema(database.owner, schema)
    log.info(`the schema ${schema.schema} is up to date`)
  },
})
