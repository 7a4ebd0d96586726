import type { Kysely } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { held, type Lease } from '../leases/lease.ts'
import { type Checkpoint, type NewCheckpoint, readPlace } from './checkpoint.ts'

type Db = Kysely<RequestsDb>

/** Of whoever has the lease alone; null: nothing that was kept counts any more. False: the lease is lost. */
export function saveCheckpoint(
  db: Db,
  lease: Lease,
  checkpoint: NewCheckpoint | null,
): Promise<boolean> {
  const { request_uuid } = lease
  return db.transaction().execute(async (tx) => {
    const { members = '', ...place } = checkpoint ?? {}
    const kept = checkpoint && JSON.stringify(place)
    const { numUpdatedRows } = await held(tx, lease).set({ checkpoint: kept }).executeTakeFirst()
    if (numUpdatedRows !== 1n) return false
    if (!checkpoint) await deleteMembers(tx, request_uuid)
    else await tx.insertInto('checkpoint_members').values({ request_uuid, members }).execute()
    return true
  })
}

/** What a former attempt kept. */
export async function findCheckpoint(
  db: Db,
  { request_uuid, checkpoint }: Pick<RequestRow, 'request_uuid' | 'checkpoint'>,
): Promise<Checkpoint | null> {
  const place = readPlace(checkpoint)
  if (!place) {
    if (checkpoint !== null) await deleteMembers(db, request_uuid) // of a program that this one does not know
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

export async function deleteMembers(db: Db, request_uuid: string): Promise<void> {
  await db.deleteFrom('checkpoint_members').where('request_uuid', '=', request_uuid).execute()
}
