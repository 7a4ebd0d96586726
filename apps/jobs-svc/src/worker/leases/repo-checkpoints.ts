import type { Kysely } from 'kysely'
import type { RequestRow, RequestsDb } from '../../db/schema.ts'
import { deleteMembers } from '../../requests/repo.ts'
import {
  type Checkpoint,
  type NewCheckpoint,
  parseStoredCheckpoint,
} from '../../work/checkpoint.ts'
import { type RequestLease, updateLeased } from './repo-leases.ts'

type Db = Kysely<RequestsDb>

/** Saves a checkpoint for the holder of the lease; null discards it. Returns false when the lease is lost. */
export function saveCheckpoint(
  db: Db,
  lease: RequestLease,
  checkpoint: NewCheckpoint | null,
): Promise<boolean> {
  const { request_uuid } = lease
  return db.transaction().execute(async (tx) => {
    const { members = '', ...place } = checkpoint ?? {}
    const kept = checkpoint && JSON.stringify(place)
    const { numUpdatedRows } = await updateLeased(tx, lease)
      .set({ checkpoint: kept })
      .executeTakeFirst()
    if (numUpdatedRows !== 1n) return false
    if (!checkpoint) await deleteMembers(tx, request_uuid)
    else await tx.insertInto('checkpoint_members').values({ request_uuid, members }).execute()
    return true
  })
}

/** Finds the checkpoint of an earlier attempt. */
export async function findCheckpoint(
  db: Db,
  { request_uuid, checkpoint }: Pick<RequestRow, 'request_uuid' | 'checkpoint'>,
): Promise<Checkpoint | null> {
  const place = parseStoredCheckpoint(checkpoint)
  if (!place) {
    if (checkpoint !== null) await deleteMembers(db, request_uuid) // written by an incompatible version
    return null
  }
  const rows = await db
    .selectFrom('checkpoint_members')
    .select('members')
    .where('request_uuid', '=', request_uuid)
    .orderBy('batch_id')
    .execute()
  return { ...place, members: rows.map(({ members }) => members) }
}
