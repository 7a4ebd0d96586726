import type { Row, RowKind } from '@reticle/contracts/row-lines'
import { type Prepared, queryTexts } from '@reticle/kit/db/prepared'
import type { Kysely } from 'kysely'
import type { Target } from '../annotations/target.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { joinRows, type PieceRow } from './pieces.ts'
import { kinds, lineOf, originOf, tableOf, textRow } from './select.ts'

type Db = Kysely<AnnotationsDb>

/** Up to so many objects are read by prepared statements; a track counts as twenty (`perf-design.md` 4.2). */
const mostOfFew = 2000
const tries = 3

interface JobState {
  revision: number
  labels_revision: number
  counts: Record<RowKind, number>
  objects: number
}

/** A small set, and the states of the jobs that it is of. */
export interface Few {
  states: ReadonlyMap<number, JobState>
  rows: Row[]
}

/**
 * Reads a small set whole. Every write raises a revision in its transaction: when the revisions are the same before and
 * after, what was read between them is one state. Nothing for a set that is large, or that changes all the time.
 */
export async function readFew(db: Db, target: Target): Promise<Few | undefined> {
  let states = await readStates(db, target)
  for (let round = 1; round <= tries && isSmall(states); round++) {
    const rows: Row[] = []
    for (const kind of kinds) {
      if (!has(states, kind)) continue
      for (const row of await readRows(db, kind, target)) rows.push(row) // many, if a writer was faster
    }
    const after = await readStates(db, target)
    if (isSame(states, after)) return { states, rows }
    states = after
  }
  return undefined
}

async function readStates(db: Db, target: Target): Promise<Map<number, JobState>> {
  const texts = await queryTexts(db, jobStatements[target.kind], [target.id])
  return new Map(
    texts.map((columns) => {
      const [job = 0, revision = 0, labels_revision = 0, tag = 0, shape = 0, track = 0] =
        columns.map(Number)
      const counts = { tag, shape, track }
      return [job, { revision, labels_revision, counts, objects: tag + shape + track }]
    }),
  )
}

const isSmall = (states: Map<number, JobState>) =>
  [...states.values()].reduce((sum, { counts }) => sum + weightOf(counts), 0) <= mostOfFew
const weightOf = ({ tag, shape, track }: JobState['counts']) => tag + shape + 20 * track

const has = (states: Map<number, JobState>, kind: RowKind) =>
  [...states.values()].some((one) => one.counts[kind] > 0)

const isSame = (a: Map<number, JobState>, b: Map<number, JobState>) =>
  a.size === b.size && [...a].every(([job, { revision }]) => b.get(job)?.revision === revision)

async function readRows(db: Db, kind: RowKind, target: Target): Promise<Row[]> {
  const { kind: scope, task_id, id } = target
  const values = scope === 'job' ? [task_id, id] : [task_id]
  const texts = await queryTexts(db, rowStatements[kind][scope], values)
  if (kind !== 'track') return texts.map(([, ...columns]) => textRow(kind, columns))
  const pieces = texts.map(([, ...columns]): PieceRow => {
    return { ...textRow(kind, columns), origin: columns.at(-1) ?? '' }
  })
  const joined: Row[] = []
  for await (const rows of joinRows([pieces])) for (const row of rows) joined.push(row)
  return joined
}

const jobColumns = 'job_id, revision, labels_revision, tags, shapes, tracks'
const jobStatements: Record<Target['kind'], Prepared> = {
  job: { name: 'state_of_job', text: `select ${jobColumns} from jobs where job_id = $1` },
  task: { name: 'states_of_task', text: `select ${jobColumns} from jobs where task_id = $1` },
}

function rowStatement(kind: RowKind, scope: Target['kind']): Prepared {
  const isTrack = kind === 'track'
  const columns = isTrack ? [...lineOf[kind], originOf] : lineOf[kind]
  const where = scope === 'job' ? 'task_id = $1 and job_id = $2' : 'task_id = $1'
  const order = isTrack ? `${originOf}, job_id` : 'frame, id'
  const text = `select ${columns.join(', ')} from ${tableOf[kind]} where ${where} order by ${order}`
  return { name: `${tableOf[kind]}_of_${scope}`, text }
}

const scopes = (kind: RowKind) => ({
  job: rowStatement(kind, 'job'),
  task: rowStatement(kind, 'task'),
})
const rowStatements = { tag: scopes('tag'), shape: scopes('shape'), track: scopes('track') }
