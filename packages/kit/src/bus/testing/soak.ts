import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Kysely, sql } from 'kysely'
import { emit } from '../../outbox/emit.ts'
import type { SoakRole } from './member.ts'
import { type ContractTables, cause, counted } from './rig.ts'

export interface SoakOptions {
  db: Kysely<ContractTables>
  /** Address of the same database with its search path, for other processes. */
  url: string
  kafka?: SoakRole['kafka']
  kills: number
  events: number
}

/** Result of the measurement T-BUS-1. */
export interface SoakResult {
  kills: number
  events: number
  lost: number
  doubled: number
  /** Effects that happened before the effect of an earlier event of their key. */
  disordered: number
}

/** Formats the result as a row of the scoreboard. */
export const scoreOf = ({ kills, events, lost, doubled, disordered }: SoakResult) => ({
  count: `${kills} kills, ${events} events`,
  seen: `${lost} / ${doubled} / ${disordered}`,
  holds: lost + doubled + disordered === 0,
})

const keys = 20
const betweenKillsMs = 800
const settleMs = 180_000

/**
 * Runs two relays and two readers as processes, kills them with SIGKILL at random moments and restarts them, while
 * events of twenty keys are committed. Returns what happened to the events once all is settled.
 */
export async function runSoak({ db, url, kafka, kills, events }: SoakOptions): Promise<SoakResult> {
  const perKey = Math.ceil(events / keys)
  const roles = (['relay', 'relay', 'reader', 'reader'] as const).map((does) => ({
    does,
    url,
    kafka,
  }))
  const children = roles.map(startMember)
  const killAll = async () => {
    for (let n = 0; n < kills; n++) {
      await sleep(betweenKillsMs * (0.5 + Math.random()))
      const at = Math.floor(Math.random() * children.length)
      children[at]?.kill('SIGKILL')
      children[at] = startMember(roles[at] as SoakRole)
    }
  }
  const pauseMs = (kills * betweenKillsMs) / perKey
  try {
    const writing = Array.from({ length: keys }, (_, n) => write(db, `soak:${n}`, perKey, pauseMs))
    await Promise.all([killAll(), ...writing])
    await untilAllCame(db, perKey * keys)
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
  return { kills, events: perKey * keys, ...(await judge(db, perKey)) }
}

const member = fileURLToPath(new URL(import.meta.resolve('@reticle/kit/bus/testing/member')))
/** When running from TypeScript sources, the process needs the loader. */
const execArgv = member.endsWith('.ts') ? ['--conditions=@reticle/source', '--import', 'tsx'] : []

const startMember = (role: SoakRole): ChildProcess =>
  fork(member, [JSON.stringify(role)], { execArgv })

/** Writes in the order of commits, as if the row of the key were locked. */
async function write(db: Kysely<ContractTables>, key: string, count: number, pauseMs: number) {
  for (let n = 1; n <= count; n++) {
    await db.transaction().execute((tx) => emit(tx, counted, { key, n }, cause))
    await sleep(pauseMs * 2 * Math.random())
  }
}

async function untilAllCame(db: Kysely<ContractTables>, events: number): Promise<void> {
  const limit = Date.now() + settleMs
  for (let seen = 0; seen < events && Date.now() < limit; await sleep(200)) {
    const { rows } = await sql<{ seen: number }>`
      select count(distinct event_id) as seen from effects where reader = 'soak'`.execute(db)
    seen = rows[0]?.seen ?? 0
  }
}

async function judge(db: Kysely<ContractTables>, perKey: number) {
  const rows = await db
    .selectFrom('effects')
    .select(['event_id', 'key', 'n'])
    .where('reader', '=', 'soak')
    .orderBy('id')
    .execute()
  const ids = new Set(rows.map(({ event_id }) => event_id))
  const highest = new Map<string, number>()
  let disordered = 0
  for (const { key, n } of rows) {
    const before = highest.get(key) ?? 0
    if (n < before) disordered++
    else highest.set(key, n)
  }
  return { lost: perKey * keys - ids.size, doubled: rows.length - ids.size, disordered }
}
