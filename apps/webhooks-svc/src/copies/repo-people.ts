import type { BasicUser } from '@reticle/contracts/rest/users'
import type { Kysely } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'

/** Owner id of webhooks whose owner was deleted; no user has this id. */
export const deletedUserId = 0

/** Queries for the copies of users in webhooks and projects. */
type Db = Kysely<WebhooksDb>

export async function renameOwner(db: Db, { id, ...names }: BasicUser): Promise<void> {
  const { username, first_name, last_name } = names
  await db
    .updateTable('webhooks')
    .set({
      owner_username: username,
      owner_first_name: first_name,
      owner_last_name: last_name,
    })
    .where('owner_id', '=', id)
    .execute()
}

export async function removeOwner(db: Db, id: number): Promise<void> {
  const names = { owner_username: '', owner_first_name: '', owner_last_name: '' }
  await db
    .updateTable('webhooks')
    .set({ owner_id: deletedUserId, ...names })
    .where('owner_id', '=', id)
    .execute()
  await db.updateTable('projects').set({ owner_id: null }).where('owner_id', '=', id).execute()
}
