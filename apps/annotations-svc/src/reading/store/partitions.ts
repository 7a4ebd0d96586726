import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { queryRows } from '@reticle/kit/db/prepared'
import type { Kysely } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'

/**
 * Returns the partitions with rows of these tasks, as SQL names. Rows are deleted from a partition by `ctid`
 * (`deleteFrom`), because a condition on the task could make the planner scan all rows of the task for each of them.
 */
export async function partitionsOf(
  db: Kysely<AnnotationsDb>,
  kind: RowKind,
  task_ids: readonly number[],
): Promise<string[]> {
  const table = arrayOf[kind]
  const text = `select distinct part.name from unnest($1::int[]) as given (of_task)
    cross join lateral (
      select tableoid::regclass::text as name from ${table} where task_id = of_task limit 1
    ) as part`
  const rows = await queryRows<{ name: string }>(db, { name: `${table}_of`, text }, [task_ids])
  return rows.map((row) => row.name)
}

/**
 * Returns SQL that deletes rows of one table, aliased `stored`.
 *
 * @param table without partitions
 * @param rowIds SQL that selects the `ctid`s; the rows must be locked or safe from concurrent changes
 */
export const deleteFrom = (table: string, rowIds: string): string =>
  `delete from ${table} as stored where stored.ctid = any(array(${rowIds}))`
