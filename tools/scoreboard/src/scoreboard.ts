import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@reticle/scripts/ready'
import { z } from 'zod'

/** What a test has measured of a promise. */
const measuredScore = z.object({
  id: z.string(),
  on: z.string(),
  count: z.string(),
  seen: z.string(),
  holds: z.boolean(),
  seed: z.number().optional(),
  is_full: z.boolean(),
})

/** A measured score with the subject and the goal of its promise, and the measured commit. */
export interface PromiseScore extends z.infer<typeof measuredScore> {
  what: string
  goal: string
  commit: string
}

/** The promises of `docs/scoreboard.md`: subject and goal. Tests and benches report their results by id. */
export const promises: Record<string, readonly [subject: string, goal: string]> = {
  'T-BUS-1': [
    'events lost / doubled / out of order while relays and readers are killed',
    '0 / 0 / 0',
  ],
  'T-BUS-2': ['commit to handler at 200 events/s', 'p99 <= 100 ms (PostgreSQL), 600 ms (Kafka)'],
  'T-BUS-3': ['events of 1 KB a second on the bus of one process', '>= 1000'],
  'T-BUS-4': ['acknowledged transactions missing / doubled after the database was killed', '0 / 0'],
  'T-WH-1': ['messages to webhooks lost while services are killed', '0'],
  'T-WH-2': ['event to first attempt, 50 events/s, ms: p50 / p99', '<= 150 / 1000'],
  'T-WH-3': ['first attempts out of order', '0'],
  'T-WH-4': ['p99 of webhooks beside a receiver that hangs, to p99 without it', '<= 2'],
  'T-WH-5': ['connections to blocked addresses', '0'],
  'T-REQ-1': ['requests finished / doubled / stuck while workers are killed', 'all / 0 / 0'],
  'T-REQ-2': ['takeover after a worker was killed', '<= lease + 5 s'],
  'T-REQ-3': [
    'first start of a tenant behind the queue of another',
    'the next slot that falls free',
  ],
  'T-REQ-4': [
    'cancel of a conversion: the record is final / its thread has ended',
    'at once / <= 2 s',
  ],
  'T-RPC-1': ['failed calls while processes are stopped and killed in turn', '0'],
  'T-IN-1': ['answers 5xx to wrong calls', '0'],
  'T-TEN-1': ['responses that reveal data of another tenant', '0'],
  'T-RES-1': ['growth of the gateway: a slow reader, an upload of 5 GB', '<= 64 MiB'],
  'T-GC-1': ['objects left by crashes in uploads, after a sweep a day later', '0'],
  'T-UPG-1': ['failed calls during a migration and a rolling upgrade', '0'],
}

/** Promises measured by the bench, with their rows in the tables of `docs/performance.md`. */
const benched: readonly [id: string, row: RegExp, on?: string][] = [
  ['T-BUS-2', /^\| T-BUS-2 \|/],
  ['T-BUS-3', /^\| T-BUS-3 \|/],
  ['T-WH-2', /^\| T-WH-2 \|/],
  ['T-WH-3', /^\| T-WH-3 \|/],
  ['T-WH-4', /^\| T-WH-4 \|/],
  [
    'T-RES-1',
    /^\| uploads \| the same: what the process of the gateway grows by/,
    'an upload of 5 GB, sender and server killed ten times each',
  ],
  [
    'T-RES-1',
    /^\| P3 \| GET: growth of memory alone/,
    '100,000 shapes read alone / four at once / by a reader that stops for 3 s',
  ],
]
const page = join(root, 'docs/scoreboard.md')
const begin = '<!-- scoreboard -->'
const end = '<!-- end of scoreboard -->'

/** Reads the scores that tests wrote to a file, one JSON object per line, and adds their goals and the commit. */
export function readScores(file: string, commit: string): PromiseScore[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => {
    const score = measuredScore.parse(JSON.parse(line))
    const [what = '', goal = ''] = promises[score.id] ?? []
    return { ...score, what, goal, commit }
  })
}

/** Writes scores into `docs/scoreboard.md`. Rows without a new score stay, and rows of the bench are read again. */
export function writeScores(scores: readonly PromiseScore[]): void {
  const text = readFileSync(page, 'utf8')
  const [before = '', rest = ''] = text.split(`${begin}\n`)
  const [old = '', after = ''] = rest.split(end)
  const rows = new Map(
    old
      .split('\n')
      .filter(isRow)
      .map((row): [string, string] => [headOf(row), row]),
  )
  for (const [head, row] of rows)
    if (row.endsWith(fromBench) || row.endsWith(unmeasured)) rows.delete(head)
  for (const row of [...scores.map(rowOf), ...benchRows()]) rows.set(headOf(row), row)
  const order = Object.keys(promises)
  const known = new Set([...rows.values()].map(idOf))
  for (const id of order.filter((one) => !known.has(one))) rows.set(id, emptyRow(id))
  const sorted = [...rows.values()].sort((a, b) => order.indexOf(idOf(a)) - order.indexOf(idOf(b)))
  const table = [
    '| # | Promise | Measured on | How much | Seen | Goal | Holds | Commit |',
    '|---|---|---|---|---|---|---|---|',
  ]
  writeFileSync(page, `${before}${begin}\n${[...table, ...sorted].join('\n')}\n${end}${after}`)
}

const fromBench = '| [bench](performance.md) |'
const unmeasured = '| not measured yet |  |'
const emptyRow = (id: string) => {
  const [what, goal] = promiseOf(id)
  return `| ${[id, what, '', '', '', goal].join(' | ')} ${unmeasured}`
}
const isRow = (line: string) => line.startsWith('| T-')
const cellsOf = (row: string) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''))
const idOf = (row: string) => cellsOf(row)[0] ?? ''
const headOf = (row: string) => cellsOf(row).slice(0, 3).join(' ')

function rowOf(score: PromiseScore): string {
  const { id, on, count, seen, holds, is_full, seed, commit } = score
  const [what, goal] = promiseOf(id)
  const much = `${count}${seed === undefined ? '' : `, seed ${seed}`}${is_full ? '' : ' (short form)'}`
  return `| ${[id, what, on, much, seen, goal, holds ? 'yes' : '**no**', commit].join(' | ')} |`
}

function promiseOf(id: string): readonly [subject: string, goal: string] {
  const promise = promises[id]
  if (!promise) throw new Error(`docs/scoreboard.md has no promise ${id}`)
  return promise
}

function benchRows(): string[] {
  const lines = readFileSync(join(root, 'docs/performance.md'), 'utf8').split('\n')
  return benched.flatMap(([id, pattern, on]) =>
    lines
      .filter((line) => pattern.test(line))
      .map((line) => {
        const [, what, seen, goal, holds] = cellsOf(line)
        return `| ${[id, promiseOf(id)[0], on ?? what, '', seen, goal, holds].join(' | ')} ${fromBench}`
      }),
  )
}
