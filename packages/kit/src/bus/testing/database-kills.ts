import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Database, openDatabase } from '../../db/connect.ts'
import { migrateSchema } from '../../db/migrate.ts'
import { emit } from '../../outbox/emit.ts'
import { startRelay } from '../../outbox/relay.ts'
import { busMigrations } from '../postgres/log.ts'
import { postgresBus } from '../postgres.ts'
import {
  type ContractTables,
  cause,
  contractMigrations,
  counted,
  createRecorder,
  topic,
} from './rig.ts'

export interface DatabaseKillsOptions {
  /** Starts the server on the data of its predecessor, and resolves to the address of an administrator. */
  start: () => Promise<string>
  /** Ends the server like `kill -9`. */
  kill: () => Promise<void>
  kills: number
}

/** Result of the measurement T-BUS-4. */
export interface DatabaseKillsResult {
  kills: number
  /** Transactions whose commit was confirmed before a kill. */
  acknowledged: number
  /** Number of these whose event never arrived. */
  missing: number
  /** Events with more than one effect. */
  doubled: number
}

const writers = 8
/** Smallest number of confirmed transactions before the next kill. */
const perLife = 50
const drainMs = 60_000

/**
 * Kills the database repeatedly while transactions with events are committed, relayed and handled, restarts it on the
 * same data, and finally waits for all remaining events.
 */
export async function killDatabase(options: DatabaseKillsOptions): Promise<DatabaseKillsResult> {
  const acknowledged = new Set<string>()
  for (let n = 0; n < options.kills; n++) {
    const life = await begin(await options.start())
    const writing = Array.from({ length: writers }, (_, writer) =>
      writeUntilCut(life.database, `kill:${n}:${writer}`, acknowledged),
    )
    let isCut = false
    const written = Promise.all(writing).then(() => {
      isCut = true
    })
    const enough = acknowledged.size + perLife * (1 + Math.random())
    while (acknowledged.size < enough && !isCut) await sleep(1)
    await options.kill()
    await written
    await life.end()
  }
  const life = await begin(await options.start())
  const seen = await drained(life.database)
  await life.end()
  const missing = [...acknowledged].filter((id) => !seen.has(id)).length
  const doubled = [...seen.values()].filter((count) => count > 1).length
  return { kills: options.kills, acknowledged: acknowledged.size, missing, doubled }
}

/** Starts a service with a relay and a reader, for the lifetime of the server. */
async function begin(admin: string) {
  const url = new URL(admin)
  url.searchParams.set('options', '-c search_path=contract,bus')
  const at = { url: url.href, schema: 'contract', onError: () => undefined }
  await migrateSchema(admin, { schema: 'contract', migrations: contractMigrations })
  await migrateSchema(admin, { schema: 'bus', migrations: busMigrations })
  const database = openDatabase<ContractTables>(at.url, { application: 'kills', max: 20 })
  const bus = postgresBus(at)
  const relay = startRelay({ ...at, bus })
  const forget = database.onCommit(relay.wake)
  bus.subscribe({ group: 'kills', topic, db: database.db, handle: createRecorder('kills', 'kill') })
  const end = async () => {
    forget()
    await Promise.all([relay.stop(), bus.close()])
    await database.close()
  }
  return { database, end }
}

async function writeUntilCut(
  { db }: Database<ContractTables>,
  key: string,
  acknowledged: Set<string>,
): Promise<void> {
  try {
    for (let n = 1; ; n++) {
      const id = await db.transaction().execute((tx) => emit(tx, counted, { key, n }, cause))
      acknowledged.add(id)
      await sleep(2)
    }
  } catch {
    // The server was killed; an unconfirmed commit may have happened or not.
  }
}

/** Waits until no event is pending, and returns how often each event took effect. */
async function drained({ db }: Database<ContractTables>): Promise<Map<string, number>> {
  const limit = Date.now() + drainMs
  for (let open = 1; open > 0 && Date.now() < limit; await sleep(100)) {
    const { rows } = await sql<{ open: number }>`
      select (select count(*) from outbox) + coalesce((
        select sum(h.next - o.next) from bus.bus_heads h join bus.bus_offsets o using (topic, partition)
      ), 0)::int8 as open`.execute(db)
    open = rows[0]?.open ?? 0
  }
  const { rows } = await sql<{ event_id: string; times: number }>`
    select event_id, count(*) as times from effects where reader = 'kills' group by event_id`.execute(
    db,
  )
  return new Map(rows.map(({ event_id, times }) => [event_id, times]))
}
