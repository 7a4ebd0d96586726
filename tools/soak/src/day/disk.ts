import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rowsOf } from '@reticle/tests/support/deliveries'
import type { DaySystem } from './day-system.ts'
import type { DayLedger } from './ledger.ts'

/** Objects that remain after a day once everything was deleted and the sweepers have run. */
export interface Left {
  /** Size before anything was deleted. */
  liveMiB: number
  /** Keys of objects that a registry still keeps, with the rows that keep them. */
  kept: string[]
  /** Keys of objects without a row, which sweepers delete after two days. */
  unknown: string[]
  /** Rows of registries, with or without objects. */
  rows: string[]
  temporary: string[]
}

const dayMs = 24 * 3_600_000
const sweepMs = 60_000

/** Objects kept by another one are deleted a round after it: drafts, media, shared media. */
const mostRounds = 6

/** Deletes everything, ages the stored objects by days and has them swept, until nothing remains or nothing changes. */
export async function sweepAll(system: DaySystem, ledger: DayLedger): Promise<Left> {
  const before = await system.objects()
  for (const { id, owner } of ledger.projects.splice(0))
    await owner.done('DELETE', `/projects/${id}`)
  let kept = await keptOf(system)
  for (let round = 0; round < mostRounds && kept.rows.length > 0; round++) {
    await letTimeGoBy(system)
    await system.restart()
    await untilSwept(system)
    kept = await keptOf(system)
  }
  return { liveMiB: sizeOf(before) / 2 ** 20, ...kept, temporary: readdirSync(system.temporary) }
}

const sizeOf = (objects: readonly { size: number }[]) =>
  objects.reduce((sum, { size }) => sum + size, 0)

/** Moves dates of registries, results and unfinished uploads into the past, and makes weekly tasks due again. */
async function letTimeGoBy(system: DaySystem): Promise<void> {
  for (const schema of ['requests', 'projects']) {
    const url = await system.databaseOf(schema)
    const moved = ['created_date', 'dead_date'].map((one) => `${one} = ${one} - interval '3 days'`)
    await changeRows(url, `update ${schema}.blobs set ${moved.join(', ')}`)
    await changeRows(url, `delete from ${schema}.sweeps`)
  }
  const drafts = `update projects.drafts set created_date = created_date - interval '3 days'`
  await changeRows(await system.databaseOf('projects'), drafts)
  const url = await system.databaseOf('requests')
  for (const table of ['uploads', 'chunks'])
    await changeRows(url, `update requests.${table} set used_date = used_date - interval '3 days'`)
  const expired = `set expiry_date = expiry_date - interval '3 days'`
  await changeRows(url, `update requests.requests ${expired} where expiry_date > now()`)
  await system.age(3 * dayMs)
  const date = new Date(Date.now() - 3 * dayMs)
  for (const name of readdirSync(system.temporary))
    utimesSync(join(system.temporary, name), date, date)
}

/**
 * Retries, because services lock the same rows in another order; a deadlock that ends this statement is not their
 * fault.
 */
async function changeRows(url: string, statement: string, tries = 5): Promise<void> {
  try {
    await rowsOf(url, statement)
  } catch (thrown) {
    if (tries === 1 || !isDeadlock(thrown)) throw thrown
    await changeRows(url, statement, tries - 1)
  }
}

const isDeadlock = (thrown: unknown) => Object(thrown).code === '40P01'

/** Waits until the sweepers have recorded that they are done. */
async function untilSwept(system: DaySystem): Promise<void> {
  for (const schema of ['requests', 'projects'])
    for (const until = Date.now() + sweepMs; Date.now() < until; await sleep(250)) {
      const statement = `select count(*)::int as many from ${schema}.sweeps`
      const [row] = await rowsOf<{ many: number }>(await system.databaseOf(schema), statement)
      if (row?.many) break
    }
}

async function keptOf(system: DaySystem): Promise<Pick<Left, 'kept' | 'unknown' | 'rows'>> {
  const rows: [key: string, row: string][] = []
  for (const schema of ['requests', 'projects'])
    for (const row of await rowsOf<{ key: string }>(
      await system.databaseOf(schema),
      `select * from ${schema}.blobs`,
    ))
      rows.push([row.key, JSON.stringify(row)])
  const keepers = (key: string) =>
    rows.filter(([one]) => one === key || (one.endsWith('/') && key.startsWith(one)))
  const left = { kept: [] as string[], unknown: [] as string[], rows: rows.map(([, row]) => row) }
  for (const { key } of await system.objects()) {
    const found = keepers(key)
    if (found.length === 0) left.unknown.push(key)
    else left.kept.push(`${key} by ${found.map(([, row]) => row).join(', ')}`)
  }
  return left
}
