import type { BasicUser } from '@reticle/contracts/rest/users'
import type { Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'

type Tx = Transaction<AnnotationsDb>

/** Updates the name of an author in the history. */
export async function renameAuthor(tx: Tx, { id, ...names }: BasicUser): Promise<void> {
  const { username, first_name, last_name } = names
  await tx
    .updateTable('authors')
    .set({ username, first_name, last_name })
    .where('id', '=', id)
    .execute()
}

/** Deletes an author. Their revisions stay, without an author. */
export async function forgetAuthor(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('authors').where('id', '=', id).execute()
}
