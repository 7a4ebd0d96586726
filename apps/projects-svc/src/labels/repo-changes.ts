import { type Kysely, sql, type Transaction } from 'kysely'
import { type Owner, ownerColumns } from '../access/owner.ts'
import type { ProjectsDb } from '../db/schema.ts'

/**
 * Stores the event that annotations-svc has to handle before it reads annotations of the owner
 * (`facts.label_events`), and replaces the earlier one. Call it under the lock of the owner's row.
 */
export async function replaceLabelChange(
  tx: Transaction<ProjectsDb>,
  owner: Owner,
  event_id: string,
): Promise<void> {
  const column = owner.kind === 'project' ? 'project_id' : 'task_id'
  await tx.deleteFrom('label_changes').where(column, '=', owner.id).execute()
  await tx
    .insertInto('label_changes')
    .values({ event_id, ...ownerColumns(owner) })
    .execute()
}

/** Lists ids of the last label events of a project and of tasks. */
export async function listLabelChanges(
  tx: Transaction<ProjectsDb>,
  { project_id, task_ids }: { project_id: number | null; task_ids: readonly number[] },
): Promise<string[]> {
  const { rows } = await sql<{ event_id: string }>`
    select event_id from label_changes
    where project_id = ${project_id} or task_id = any(${task_ids}::int[])
    order by created_date, event_id`.execute(tx)
  return rows.map((row) => row.event_id)
}

const dayMs = 86_400_000
/** Much longer than events are pending, and shorter than the inbox of annotations-svc keeps them (14 days). */
const retentionMs = dayMs

export async function deleteOldLabelChanges(db: Kysely<ProjectsDb>, now: Date): Promise<void> {
  const limit = new Date(now.getTime() - retentionMs)
  await db.deleteFrom('label_changes').where('created_date', '<', limit).execute()
}
