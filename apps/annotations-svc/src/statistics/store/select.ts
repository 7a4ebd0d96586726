import { columnSeparator, type RowKind, splitLines } from '@reticle/contracts/row-lines'
import { copyOut } from '@reticle/kit/db/copy'
import { type CompiledQuery, type Kysely, sql, type Transaction } from 'kysely'
import type { AnnotationSetRow, AnnotationsDb } from '../../db/schema.ts'
import { liveRows } from '../../reading/store/live.ts'
import { originOf } from '../../reading/store/select.ts'
import type { AnnotationTarget } from '../../targets/target.ts'

type Tx = Transaction<AnnotationsDb>

/**
 * Text in the stored elements of a visible skeleton; the service itself wrote it. Shapes are visible unless they are
 * outside.
 */
export const visibleElement = '"outside":false'

const visibleIn = {
  tag: 'true',
  shape: `not outside and (elements is null or strpos(elements, '${visibleElement}') > 0)`,
}

/**
 * Selects tags or shapes of all targets in one pass, grouped: label, type, source, task, frame, count, whether any is
 * visible. Faster than grouping by label and by frame separately.
 */
function selectGroups(
  tx: Tx,
  kind: 'tag' | 'shape',
  targets: readonly AnnotationTarget[],
): CompiledQuery {
  const type = sql.raw(kind === 'shape' ? 'type' : '0')
  return sql`
    select label_id, ${type}, source, task_id, frame, count(*), bool_or(${sql.raw(visibleIn[kind])})
    from ${rowsIn(kind, targets)} group by 1, 2, 3, 4, 5`.compile(tx)
}

/** Selects the pieces of all tracks; pieces of a track are consecutive. */
function selectPieces(tx: Tx, targets: readonly AnnotationTarget[]): CompiledQuery {
  return sql`
    select task_id, ${sql.raw(originOf)}, job_id, label_id, source, nullif(shapes, ''), elements
    from ${rowsIn('track', targets)}
    order by task_id, ${sql.raw(originOf)}, job_id`.compile(tx)
}

function rowsIn(kind: RowKind, targets: readonly AnnotationTarget[]) {
  const jobs = targets.flatMap((one) => one.jobs.map(({ id }) => id))
  return sql.raw(liveRows(kind, `array[${jobs.join()}]::int[]`))
}

const statements = {
  tag: (tx: Tx, targets: readonly AnnotationTarget[]) => selectGroups(tx, 'tag', targets),
  shape: (tx: Tx, targets: readonly AnnotationTarget[]) => selectGroups(tx, 'shape', targets),
  track: selectPieces,
} satisfies Record<RowKind, unknown>

/** Yields the columns of the rows of one kind, in batches. */
export async function* readColumns(
  tx: Tx,
  kind: RowKind,
  targets: readonly AnnotationTarget[],
  signal: AbortSignal,
): AsyncGenerator<string[][]> {
  for await (const lines of splitLines(copyOut(tx, statements[kind](tx, targets), { signal })))
    yield lines.map((line) => line.split(columnSeparator))
}

/** Returns the rows of annotation sets by the ids of their jobs. */
export async function findAnnotationSets(
  db: Kysely<AnnotationsDb>,
  jobs: readonly number[],
): Promise<ReadonlyMap<number, AnnotationSetRow>> {
  const { rows } = await sql<AnnotationSetRow>`
    select * from jobs where job_id = any(${jobs}::int[])`.execute(db)
  return new Map(rows.map((row) => [row.job_id, row]))
}
