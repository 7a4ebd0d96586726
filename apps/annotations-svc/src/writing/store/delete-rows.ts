import type { RowKind } from '@reticle/contracts/row-lines'
import { queryRows } from '@reticle/kit/db/prepared'
import type { Transaction } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'
import type { StoredObject } from '../../reading/store/find.ts'
import { rowsOfIds } from '../../reading/store/live.ts'
import { deleteFrom, partitionsOf } from '../../reading/store/partitions.ts'
import type { AnnotationTarget } from '../../targets/target.ts'

/** Deletes rows by their row ids. */
export async function deleteRows(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  { task_id }: Pick<AnnotationTarget, 'task_id'>,
  locations: StoredObject['locations'],
): Promise<void> {
  if (locations.length === 0) return
  const given = 'unnest($2::bigint[], $3::int[]) as given (id, of_job)'
  const values = [task_id, locations.map((one) => one.id), locations.map((one) => one.job_id)]
  for (const part of await partitionsOf(tx, kind, [task_id])) {
    const found = rowsOfIds(kind, given, '$1', part)
    const text = deleteFrom(part, `select stored.ctid from ${found} where stored.job_id = of_job`)
    await queryRows(tx, { name: `delete_${part}`, text }, values)
  }
}
