import {
  arrayOf,
  decodeTrack,
  type Row,
  type RowKind,
  trackText,
} from '@reticle/contracts/row-lines'
import { queryTexts } from '@reticle/kit/db/prepared'
import type { Kysely } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Target } from '../targets/target.ts'
import { latinRow } from './objects.ts'
import { joinPieces } from './pieces.ts'
import { lineOf, originOf, textRow } from './select.ts'

/** An object as it is stored. */
export interface Found {
  row: Row
  /** Its rows: one, or the pieces of a track that a task is asked for, first job first. */
  places: { job_id: number; id: number }[]
}

/** Objects of a target by id; ids that are not there are left out. A task's track is found by the id of its first piece. */
export async function findObjects(
  db: Kysely<AnnotationsDb>,
  kind: RowKind,
  target: Target,
  ids: readonly number[],
): Promise<Map<number, Found>> {
  const texts = await queryTexts(db, statements[kind][target.kind], [target.task_id, ids])
  const own = new Set(target.jobs.map((one) => one.id))
  const groups = new Map<string | null, { row: Row; job_id: number }[]>()
  for (const [job, origin = null, , ...columns] of texts) {
    const job_id = Number(job)
    // Asked of the server, the job would lead it to walk all of the job by its primary key.
    if (!own.has(job_id)) continue
    const group = groups.get(origin) ?? []
    group.push({ row: textRow(kind, columns), job_id })
    groups.set(origin, group)
  }
  return new Map([...groups.values()].map(byId))
}

/** Objects by id as `findObjects`, a batch at a time, in the order of the ids. */
export async function* readNamed(
  db: Kysely<AnnotationsDb>,
  kind: RowKind,
  target: Target,
  ids: readonly number[],
): AsyncGenerator<Row[]> {
  const size = kind === 'track' ? 100 : 1000
  for (let at = 0; at < ids.length; at += size) {
    const part = ids.slice(at, at + size)
    const found = await findObjects(db, kind, target, part)
    yield part.flatMap((id) => found.get(id)?.row ?? [])
  }
}

function byId(group: { row: Row; job_id: number }[]): [number, Found] {
  const places = group.map(({ row, job_id }) => ({ job_id, id: Number(row.columns[2]) }))
  const rows = group.map((one) => one.row)
  const [first] = rows
  const row = first && rows.length === 1 ? first : joined(rows)
  return [places[0]?.id ?? 0, { row, places }]
}

const joined = (rows: Row[]) =>
  latinRow('track', trackText(joinPieces(rows.map((one) => decodeTrack(one.columns)))))

function statementOf(kind: RowKind, scope: Target['kind']) {
  const table = arrayOf[kind]
  const isWhole = kind === 'track' && scope === 'task'
  const wanted = 'task_id = $1 and id = any($2::bigint[])'
  const where = isWhole
    ? `task_id = $1 and ${originOf} in (select ${originOf} from ${table} where ${wanted})`
    : wanted
  const text = `select job_id, ${isWhole ? originOf : 'id'}, ${lineOf[kind].join(', ')}
    from ${table} where ${where}${isWhole ? ' order by job_id' : ''}`
  return { name: `${kind}_of_${scope}_by_id`, text }
}

const scopes = (kind: RowKind) => ({
  task: statementOf(kind, 'task'),
  job: statementOf(kind, 'job'),
})
const statements = { tag: scopes('tag'), shape: scopes('shape'), track: scopes('track') }
