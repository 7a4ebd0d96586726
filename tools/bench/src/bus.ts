import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '@reticle/kit/bus/bus'
import { createTopics, kafkaBus } from '@reticle/kit/bus/kafka'
import { postgresBus } from '@reticle/kit/bus/postgres'
import { busMigrations } from '@reticle/kit/bus/postgres/log'
import {
  type ContractTables,
  cause,
  contractMigrations,
  counted,
  topic,
  withPath,
} from '@reticle/kit/bus/testing/rig'
import { runSoak } from '@reticle/kit/bus/testing/soak'
import { type Database, openDatabase } from '@reticle/kit/db/connect'
import { migrateSchema } from '@reticle/kit/db/migrate'
import { silentLog } from '@reticle/kit/observe/log'
import { emit } from '@reticle/kit/outbox/emit'
import { startRelay } from '@reticle/kit/outbox/relay'
import pg from 'pg'
import type { BenchFigure } from './table.ts'

export interface BusBench {
  /** Address of an administrator; every figure gets a separate database. */
  databaseUrl: string
  /** Kafka brokers; without them the bus of PostgreSQL is measured. */
  brokers?: readonly string[]
  /** Counts of the soak test; the target T-BUS-1 is 200 kills and 20,000 events. */
  counts?: { kills: number; events: number }
}

const perSecond = 200
const seconds = 10
const warmUp = 200
/** p99 in milliseconds from commit to handler. */
const latencyGoals = { PostgreSQL: 100, Kafka: 600 }
/** Limit on a busy machine, as a multiple of the time of a commit alone. */
const commitsAllowed = { PostgreSQL: 20, Kafka: 120 }

/** Measures T-BUS-1 to 3 on one adapter; T-BUS-3 applies only to the embedded bus. */
export async function busFigures(bench: BusBench): Promise<BenchFigure[]> {
  const counts = bench.counts ?? { kills: 10, events: 2000 }
  const latency = await inRig(bench, latencyFigure)
  const throughput = bench.brokers ? [] : [await inRig(bench, throughputFigure)]
  return [await inRig(bench, (rig) => soakFigure(rig, counts)), latency, ...throughput]
}

interface Rig {
  name: keyof typeof latencyGoals
  database: Database<ContractTables>
  url: string
  kafka?: { brokers: string[]; prefix: string }
  openBus: () => Bus
}

/** Creates a new database and, for Kafka, new topics. */
async function inRig<R>(
  { databaseUrl, brokers }: BusBench,
  measure: (rig: Rig) => Promise<R>,
): Promise<R> {
  const mark = randomBytes(4).toString('hex')
  const admin = new pg.Client({ connectionString: databaseUrl })
  await admin.connect()
  await admin.query(`create database bus_${mark}`)
  const own = new URL(databaseUrl)
  own.pathname = `/bus_${mark}`
  await migrateSchema(own.href, { schema: 'contract', migrations: contractMigrations })
  await migrateSchema(own.href, { schema: 'bus', migrations: busMigrations })
  const url = withPath(own.href)
  const database = openDatabase<ContractTables>(url, { application: 'bench', max: 16 })
  const kafka = brokers && { brokers: [...brokers], prefix: `bench-${mark}.` }
  const onError = () => undefined
  const options = kafka && { ...kafka, clientId: 'bench', log: silentLog }
  if (options) await createTopics(options)
  const openBus = () =>
    options ? kafkaBus({ ...options, onError }) : postgresBus({ url, onError })
  try {
    return await measure({ name: kafka ? 'Kafka' : 'PostgreSQL', database, url, kafka, openBus })
  } finally {
    await database.close()
    await admin.query(`drop database bus_${mark} with (force)`)
    await admin.end()
  }
}

async function soakFigure(
  { name, database, url, kafka }: Rig,
  counts: { kills: number; events: number },
): Promise<BenchFigure> {
  const seen = await runSoak({ db: database.db, url, kafka, ...counts })
  const { lost, doubled, disordered } = seen
  return {
    id: 'T-BUS-1',
    what: `${seen.events} events on ${name} while relays and readers are killed ${seen.kills} times: lost / doubled / out of order`,
    seen: `${lost} / ${doubled} / ${disordered}`,
    target: '0 / 0 / 0',
    holds: lost + doubled + disordered === 0,
  }
}

async function latencyFigure(rig: Rig): Promise<BenchFigure> {
  const times = await carrying(rig, async (commit) => {
    const started = performance.now()
    const committing: Promise<void>[] = []
    for (let n = 0; n < warmUp + perSecond * seconds; n++) {
      await sleep(started + (n * 1000) / perSecond - performance.now())
      committing.push(commit(n))
    }
    await Promise.all(committing)
  })
  const [p50, p99, commit] = [
    part(times.waits.slice(warmUp), 0.5),
    part(times.waits.slice(warmUp), 0.99),
    part(times.commits.slice(warmUp), 0.5),
  ]
  const [goal, commits] = [latencyGoals[rig.name], commitsAllowed[rig.name]]
  return {
    id: 'T-BUS-2',
    what: `commit to handler on ${rig.name} at ${perSecond} events/s, ms: p50 / p99 / a commit`,
    seen: `${p50.toFixed(0)} / ${p99.toFixed(0)} / ${commit.toFixed(0)}`,
    target: `p99 <= ${goal} ms or ${commits} commits`,
    holds: p99 <= Math.max(goal, commits * commit),
  }
}

async function throughputFigure(rig: Rig): Promise<BenchFigure> {
  const writers = 8
  const each = 1000
  const writeAll = async (commit: (n: number) => Promise<void>) => {
    const write = async (writer: number) => {
      for (let n = 0; n < each; n++) await commit(writer * each + n)
    }
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  }
  const rateOf = async (work: Promise<unknown>) => {
    const started = performance.now()
    await work
    return (writers * each) / ((performance.now() - started) / 1000)
  }
  const { db } = rig.database
  const alone = await rateOf(writeAll((n) => commitOne(db, n).then(() => undefined)))
  await db.deleteFrom('outbox').execute()
  const rate = await rateOf(carrying(rig, writeAll))
  return {
    id: 'T-BUS-3',
    what: `events of 1 KB a second from ${writers} writers to a handler on ${rig.name} / commits alone`,
    seen: `${rate.toFixed(0)} / ${alone.toFixed(0)}`,
    target: '>= 1000 or a quarter of commits alone',
    holds: rate >= Math.min(1000, alone / 4),
  }
}

/** Returns the value below which that share of the values is. */
function part(values: readonly number[], of: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * of)] ?? Number.NaN
}

function commitOne(db: Database<ContractTables>['db'], n: number): Promise<string> {
  const fact = { key: `bench:${n % 50}`, n, padding: 'x'.repeat(1000) }
  return db.transaction().execute((tx) => emit(tx, counted, fact, cause))
}

/**
 * Runs a relay and a consumer while `write` commits events. Returns the time of each commit in order, and for each
 * event the time from the end of its commit to its handler in the order of arrival; in milliseconds.
 */
async function carrying(
  { database: { db, onCommit }, url, openBus }: Rig,
  write: (commit: (n: number) => Promise<void>) => Promise<void>,
): Promise<{ commits: number[]; waits: number[] }> {
  const bus = openBus()
  const relay = startRelay({ url, schema: 'contract', bus, onError: () => undefined })
  const forget = onCommit(relay.wake)
  const commits: number[] = []
  const committed = new Map<string, number>()
  const began = new Map<string, number>()
  const handle = async (_: unknown, { id }: { id: string }) => {
    if (!began.has(id)) began.set(id, performance.now())
  }
  bus.subscribe({ group: 'bench', topic, db, handle })
  await write(async (n) => {
    const started = performance.now()
    const id = await commitOne(db, n)
    committed.set(id, performance.now())
    commits.push(performance.now() - started)
  })
  while (began.size < committed.size) await sleep(5)
  forget()
  await relay.stop()
  await bus.close()
  const waits = [...began].map(([id, at]) => Math.max(0, at - (committed.get(id) ?? at)))
  return { commits, waits }
}
