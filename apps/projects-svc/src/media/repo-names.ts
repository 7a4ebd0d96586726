import { type Kysely, sql, type Transaction } from 'kysely'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectsDb } from '../db/schema.ts'

/** Frames whose names stand together in one row of `frame_names`. */
export const together = 128

/** Writes down the names of a task's frames for the search among all of them. */
export async function insertFrameNames(
  tx: Transaction<ProjectsDb>,
  task_id: number,
): Promise<void> {
  await sql`
    insert into frame_names (task_id, first_frame, names)
    select task_id, min(frame), string_agg(name, E'\n' order by frame)
    from frames where task_id = ${task_id}
    group by task_id, frame / ${together}::int
    on conflict do nothing`.execute(tx)
}

/**
 * The same for media that was attached by a program that did not know of it; one task at a time, so that none waits for all.
 *
 * @returns how many tasks there were
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

/** The first task after this one whose frames have no names for the search. */
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
