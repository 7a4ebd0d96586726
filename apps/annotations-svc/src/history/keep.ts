import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { sql } from 'kysely'
import type { AnnotationsSettings } from '../config.ts'

/**
 * Columns of the tables of annotations. `replaced_<table>` has them as well, and the revision that changed or removed the
 * row: it is what the row was until then.
 */
export const rowColumns: Record<RowKind, readonly string[]> = {
  tag: [
    ...['task_id', 'job_id', 'generation', 'frame', 'label_id', 'id', 'group', 'source'],
    'attributes',
  ],
  shape: [
    ...['task_id', 'job_id', 'generation', 'frame', 'label_id', 'id', 'group', 'z_order'],
    ...['rotation', 'score', 'type', 'source', 'occluded', 'outside', 'points', 'attributes'],
    'elements',
  ],
  track: [
    ...['task_id', 'job_id', 'generation', 'start_frame', 'stop_frame', 'label_id', 'id'],
    ...['origin', 'group', 'source', 'attributes', 'shapes', 'elements'],
  ],
}

export const replacedName = (kind: RowKind) => `replaced_${arrayOf[kind]}`
export const replacedTable = (kind: RowKind) => sql.table(replacedName(kind))

/** Columns by name, of a table where one is named. */
export const columnsOf = (kind: RowKind, table?: string) =>
  sql.join(rowColumns[kind].map((name) => sql.ref(table ? `${table}.${name}` : name)))

/**
 * A statement that keeps rows as they are, for the revision that their job comes to at the end of this write.
 *
 * @param rows `from` and `where` of them, called `stored`
 * @param job what tells the job where they are all of one: its revision is looked up once
 */
export function keepRows(kind: RowKind, rows: string, job = 'stored.job_id'): string {
  const names = rowColumns[kind].map((name) => `"${name}"`)
  return `insert into ${replacedName(kind)} (${names}, revision)
    select ${names.map((name) => `stored.${name}`)}, (select revision + 1 from jobs where jobs.job_id = ${job})
    ${rows}`
}

/** How a finder keeps what is about to change; not at all where there is no history. */
export const keeping = ({ historyDays }: Pick<AnnotationsSettings, 'historyDays'>) =>
  historyDays > 0 ? keepRows : undefined
