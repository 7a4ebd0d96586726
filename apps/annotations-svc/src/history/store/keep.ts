import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { sql } from 'kysely'
import type { AnnotationsSettings } from '../../config.ts'

/**
 * Columns of the annotation tables. `replaced_<table>` has the same columns and the revision that changed or deleted
 * the row, which was valid until then.
 */
export const rowColumns: Record<RowKind, readonly string[]> = {
  tag: [
    'task_id',
    'job_id',
    'generation',
    'frame',
    'label_id',
    'id',
    'group',
    'source',
    'attributes',
  ],
  shape: [
    'task_id',
    'job_id',
    'generation',
    'frame',
    'label_id',
    'id',
    'group',
    'z_order',
    'rotation',
    'score',
    'type',
    'source',
    'occluded',
    'outside',
    'points',
    'attributes',
    'elements',
  ],
  track: [
    'task_id',
    'job_id',
    'generation',
    'start_frame',
    'stop_frame',
    'label_id',
    'id',
    'origin',
    'group',
    'source',
    'attributes',
    'shapes',
    'elements',
  ],
}

export const replacedName = (kind: RowKind) => `replaced_${arrayOf[kind]}`
export const replacedTable = (kind: RowKind) => sql.table(replacedName(kind))

/** Returns the columns by name, qualified by `table` if given. */
export const columnsOf = (kind: RowKind, table?: string) =>
  sql.join(rowColumns[kind].map((name) => sql.ref(table ? `${table}.${name}` : name)))

/**
 * Returns a statement that copies rows to the history, for the revision that this write gives their job.
 *
 * @param rows `from` and `where` clause of the rows, aliased `stored`
 * @param job expression for the job id; a constant one makes the revision lookup run once
 */
export function keepRows(kind: RowKind, rows: string, job = 'stored.job_id'): string {
  const names = rowColumns[kind].map((name) => `"${name}"`)
  return `insert into ${replacedName(kind)} (${names}, revision)
    select ${names.map((name) => `stored.${name}`)}, (select revision + 1 from jobs where jobs.job_id = ${job})
    ${rows}`
}

/** Returns how rows are copied before a change; undefined without history. */
export const keeping = ({ historyDays }: Pick<AnnotationsSettings, 'historyDays'>) =>
  historyDays > 0 ? keepRows : undefined
