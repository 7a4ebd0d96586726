import { execFile, spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { callsPerSecond } from './many-calls.ts'
import { median } from './measure.ts'
import type { Server } from './server.ts'
import { annotationBody } from './shapes.ts'
import type { BenchFigure } from './table.ts'
import { makeTask } from './task.ts'

const clients = 8
const seconds = 3
const warmSeconds = 20
const rounds = 5
const shapes = 100

/**
 * Measures P6: reads of small sets by eight concurrent clients, as a share of the rate of the bare statement with eight
 * clients.
 */
export async function smallReadFigure(server: Server, least: number): Promise<BenchFigure> {
  const task = await makeTask(server, shapes)
  const url = `${server.api}/tasks/${task.id}/annotations/`
  const { authorization } = server
  const headers = { authorization, 'content-type': 'application/json' }
  const body = annotationBody({ labelId: task.labelId, count: shapes, frames: shapes })
  const answer = await fetch(url, { method: 'PUT', headers, body })
  if (!answer.ok) throw new Error(`PUT: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()

  // Warms up the JIT compiler, because the steady state is measured.
  await callsPerSecond(url, authorization, { clients, seconds: warmSeconds })
  const limit = limitOf(server.databaseUrl, statement(task.id))
  const pairs: { limit: number; subject: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const most = await limit.run()
    const subject = await callsPerSecond(url, authorization, { clients, seconds })
    pairs.push({ limit: most, subject })
  }
  const counted = pairs.slice(1)
  const share = median(counted.map((pair) => pair.subject / pair.limit))
  const perSecond = (name: 'limit' | 'subject') =>
    median(counted.map((pair) => pair[name])).toFixed(0)
  return {
    id: 'P6',
    what: `GET of ${shapes} shapes by ${clients} clients: share of ${limit.name}`,
    seen: `${share.toFixed(2)} (${perSecond('subject')} of ${perSecond('limit')}/s)`,
    target: `>= ${least}`,
    holds: share >= least,
  }
}

const columns =
  'frame, label_id, id, "group", z_order, rotation, score, type, source, occluded, outside, points, attributes, elements'
const statement = (taskId: number) =>
  `select ${columns} from annotations.shapes where task_id = ${taskId} order by frame, id`

/** Runs the bare statement with as many clients: by pgbench if installed, else over plain connections. */
function limitOf(url: string, text: string): { name: string; run: () => Promise<number> } {
  const hasPgbench = spawnSync('pgbench', ['--version']).status === 0
  return hasPgbench
    ? { name: 'pgbench -M prepared', run: () => byPgbench(url, text) }
    : { name: 'prepared statements', run: () => byConnections(url, text) }
}

async function byPgbench(url: string, text: string): Promise<number> {
  const file = join(tmpdir(), `reticle-bench-${process.pid}.sql`)
  writeFileSync(file, `${text};\n`)
  const run = promisify(execFile)
  const size = ['-c', String(clients), '-j', '2', '-T', String(seconds)]
  const { stdout } = await run('pgbench', ['-n', '-M', 'prepared', ...size, '-f', file, url])
  rmSync(file)
  const [, perSecond] = /tps = ([\d.]+)/.exec(stdout) ?? []
  return Number(perSecond)
}

async function byConnections(url: string, text: string): Promise<number> {
  const until = performance.now() + seconds * 1000
  const counts = await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      let count = 0
      for (; performance.now() < until; count++) await client.query({ name: 'small', text })
      await client.end()
      return count
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0) / seconds
}
