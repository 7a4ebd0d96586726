import type { Kysely, Transaction } from 'kysely'
import type { ProjectRow, WebhooksDb } from '../db/schema.ts'

type Db = Kysely<WebhooksDb>
type Tx = Transaction<WebhooksDb>

/**
 * Locks the row that stands for all webhooks of a project. Its first event may not have come yet: then the row is made of
 * what is known, and the event completes it.
 */
export async function lockProject(
  tx: Tx,
  { id, organization_id }: Pick<ProjectRow, 'id' | 'organization_id'>,
): Promise<ProjectRow> {
  await tx
    .insertInto('projects')
    .values({ id, organization_id, owner_id: null })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  return tx
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** Keeps what an event says of a project; events of one project come in order. */
export async function saveProject(db: Db, project: ProjectRow): Promise<void> {
  const { id, ...known } = project
  await db
    .insertInto('projects')
    .values(project)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(known))
    .execute()
}

/**
 * Projects of an organization that is gone are in none, or go as well. Each says so itself, unless they are too many
 * (`spec/api-annotations.md` 4.3).
 */
export async function releaseProjects(db: Db, organization_id: number): Promise<void> {
  await db
    .updateTable('projects')
    .set({ organization_id: null })
    .where('organization_id', '=', organization_id)
    .execute()
}
