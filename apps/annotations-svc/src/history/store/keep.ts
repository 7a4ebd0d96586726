import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { sql } from 'kysely'
import type { AnnotationsSettings } from '../../config.ts'

/**
 * Columns of the annotation tables. The history table `replaced_<table>` has the same columns, and `revision`: the
 * revision that changed or deleted the row.
 */
export const tableColumns: Record<RowKind, readonly string[]> = {
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
  sql.join(tableColumns[kind].map((name) => sql.ref(table ? `${table}.${name}` : name)))

/**
 * Returns a statement that copies rows to the history before a write changes or deletes them. The rows get the next
 * revision of their job, which is that of the write.
 *
 * @param rows `from` and `where` clause of the rows, aliased `stored`
 * @param job expression for the job id; a constant one makes the revision lookup run once
 */
export function buildHistoryCopy(kind: RowKind, rows: string, job = 'stored.job_id'): string {
  const names = tableColumns[kind].map((name) => `"${name}"`)
  return `insert into ${replacedName(kind)} (${names}, revision)
    select ${names.map((name) => `stored.${name}`)}, (select revision + 1 from jobs where jobs.job_id = ${job})
    ${rows}`
}

/** Returns the builder of statements that copy rows to the history; undefined when no history is stored. */
export const historyCopyFor = ({ historyDays }: Pick<AnnotationsSettings, 'historyDays'>) =>
  historyDays > 0 ? buildHistoryCopy : undefined
