import { type Kysely, sql, type Transaction } from 'kysely'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectsDb } from '../db/schema.ts'

/** Number of frames whose names share one row of `frame_names`. */
export const namesPerRow = 128

/** Inserts the names of a task's frames into the search index. */
export async function insertFrameNames(
  tx: Transaction<ProjectsDb>,
  task_id: number,
): Promise<void> {
  await sql`
    insert into frame_names (task_id, first_frame, names)
    select task_id, min(frame), string_agg(name, E'\n' order by frame)
    from frames where task_id = ${task_id}
    group by task_id, frame / ${namesPerRow}::int
    on conflict do nothing`.execute(tx)
}

/**
 * Inserts the names of media that an older release attached, one task at a time, so that no transaction is long.
 *
 * @returns the number of tasks
 */
export async function fillFrameNames(db: Kysely<ProjectsDb>): Promise<number> {
  let count = 0
  for (let task_id = await findWithout(db, 0); task_id !== undefined; count++) {
    const id = task_id
    await db.transaction().execute(async (tx) => {
      await allowLongStatements(tx)
      await insertFrameNames(tx, id)
    })
    task_id = await findWithout(db, id)
  }
  return count
}

/** Finds the first task with a higher id whose frames are not in the search index. */
async function findWithout(db: Kysely<ProjectsDb>, after: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('data_sets')
    .select('task_id')
    .where('task_id', '>', after)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom('frame_names').whereRef('frame_names.task_id', '=', 'data_sets.task_id')),
      ),
    )
    .orderBy('task_id')
    .limit(1)
    .executeTakeFirst()
  return row?.task_id
}
