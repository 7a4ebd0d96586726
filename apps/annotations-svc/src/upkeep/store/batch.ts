import { arrayOf, columnSeparator, type RowKind, toLatin1 } from '@reticle/contracts/row-lines'
import { type Prepared, queryRows, queryTexts } from '@reticle/kit/db/prepared'
import type { Transaction } from 'kysely'
import type { AnnotationSetRow, AnnotationsDb } from '../../db/schema.ts'
import { tableColumns } from '../../history/store/keep.ts'
import { completeObject } from '../../reading/complete.ts'
import { latinColumns } from '../../reading/lines.ts'
import { answerText, objectOf } from '../../reading/objects.ts'
import { rowsOfIds } from '../../reading/store/live.ts'
import { lineOf } from '../../reading/store/select.ts'
import type { LabelIndex } from '../../validation/labels.ts'
import { deleteRows } from '../../writing/store/delete-rows.ts'
import { keyOfIds } from '../../writing/store/insert.ts'

type Tx = Transaction<AnnotationsDb>

/** Position of a row in the order of its primary key; for tracks the frame is ignored. */
export interface RowPosition {
  frame: number
  id: number
}

/** Result of a batch. */
export interface SweptBatch {
  /** Last row that was read; undefined at the end. */
  last: RowPosition | undefined
  rewritten: number
  removed: number
}

/** The current generation of a job; its history is not rewritten. */
type Whose = Pick<AnnotationSetRow, 'task_id' | 'job_id' | 'generation'>

/** Batch sizes that take a few milliseconds; a track may have thousands of keyframes. */
const batchSizes: Record<RowKind, number> = { tag: 1000, shape: 1000, track: 50 }

/** Columns that depend on labels, by position in a row line. */
const columnsOf: Record<RowKind, Readonly<Record<string, number>>> = {
  tag: { attributes: 5 },
  shape: { attributes: 12, elements: 13 },
  track: { attributes: 5, shapes: 6, elements: 7 },
}

/** Completes the rows of one kind in a job after `after`; the job must be locked. */
export async function sweepBatch(
  tx: Tx,
  kind: RowKind,
  job: Whose,
  after: RowPosition,
  labels: LabelIndex,
): Promise<SweptBatch> {
  const key = kind === 'track' ? [after.id] : [after.id, after.frame]
  const found = await queryTexts(tx, statements[kind], [
    job.task_id,
    job.job_id,
    job.generation,
    ...key,
  ])
  const rows = found.map(([, ...columns]) => ({ kind, columns: latinColumns(columns) }))
  const gone: string[] = []
  const changed: Change[] = []
  for (const row of rows) {
    const whole = completeObject(objectOf(row), labels)
    const id = row.columns[2] ?? ''
    if (!whole) gone.push(id)
    else {
      const texts = answerText(whole).split(columnSeparator)
      const own = Object.values(columnsOf[kind]).map((at) => texts[at] ?? '')
      const before = Object.values(columnsOf[kind]).map((at) => row.columns[at])
      if (own.some((text, at) => toLatin1(text) !== before[at])) changed.push({ id, texts: own })
    }
  }
  await rewrite(tx, kind, job, changed)
  await remove(tx, kind, job, gone)
  const end = rows.length === batchSizes[kind] ? rows.at(-1) : undefined
  const last = end && { frame: Number(end.columns[0]), id: Number(end.columns[2]) }
  return { last, rewritten: changed.length, removed: gone.length }
}

interface Change {
  id: string
  /** Values in the order of `columnsOf`. */
  texts: string[]
}

/** Uses an insert with conflict on the id key, as in `writing/store/insert.ts`. */
async function rewrite(tx: Tx, kind: RowKind, job: Whose, rows: Change[]) {
  if (rows.length === 0) return
  const names = Object.keys(columnsOf[kind])
  const columns = tableColumns[kind]
  const values = columns.map((name) => {
    if (!names.includes(name)) return `stored.${quoted(name)}`
    return name === 'shapes' ? 'given.shapes' : `nullif(given.${name}, '')`
  })
  const arrays = ['$3::bigint[]', ...names.map((_, at) => `$${at + 4}::text[]`)]
  const given = `unnest(${arrays}) as given (id, ${names})`
  const text = `insert into ${arrayOf[kind]} (${columns.map(quoted)}) select ${values}
    from ${rowsOfIds(kind, given)} where stored.job_id = $2
    on conflict (${keyOfIds}) do update set ${names.map((name) => `${name} = excluded.${name}`)}`
  const lists = names.map((_, at) => rows.map(({ texts }) => texts[at]))
  const ids = rows.map((one) => one.id)
  await queryRows(tx, { name: `rewrite_${kind}`, text }, [job.task_id, job.job_id, ids, ...lists])
}

const quoted = (name: string) => `"${name}"`

async function remove(tx: Tx, kind: RowKind, { task_id, job_id }: Whose, ids: string[]) {
  if (ids.length === 0) return
  const places = ids.map((id) => ({ id: Number(id), job_id }))
  await deleteRows(tx, kind, { task_id }, places)
}

/** Scans the primary key from the last position. */
function statementOf(kind: RowKind): Prepared {
  const key = kind === 'track' ? 'id > $4' : '(frame, id) > ($5, $4)'
  const order = kind === 'track' ? 'id' : 'frame, id'
  const text = `select ${lineOf[kind].join(', ')} from ${arrayOf[kind]}
    where task_id = $1 and job_id = $2 and generation = $3 and ${key} order by ${order} limit ${batchSizes[kind]}`
  return { name: `sweep_of_${kind}`, text }
}

const statements = {
  tag: statementOf('tag'),
  shape: statementOf('shape'),
  track: statementOf('track'),
}
