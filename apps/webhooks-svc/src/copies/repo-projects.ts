import type { Kysely, Transaction } from 'kysely'
import type { ProjectCopyRow, WebhooksDb } from '../db/schema.ts'

type Db = Kysely<WebhooksDb>
type Tx = Transaction<WebhooksDb>

/**
 * Locks the row that represents all webhooks of a project. Inserts it with the known columns if the first event of
 * the project has not arrived yet; the event later adds the rest.
 */
export async function lockProject(
  tx: Tx,
  { id, organization_id }: Pick<ProjectCopyRow, 'id' | 'organization_id'>,
): Promise<ProjectCopyRow> {
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

/** Stores the project of an event. Events of one project arrive in order. */
export async function saveProject(db: Db, project: ProjectCopyRow): Promise<void> {
  const { id, ...known } = project
  await db
    .insertInto('projects')
    .values(project)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(known))
    .execute()
}

/**
 * Removes the projects of a deleted organization from it. A project that moves or is deleted with the organization
 * normally has its own event, except when there are too many projects.
 */
export async function releaseProjects(db: Db, organization_id: number): Promise<void> {
  await db
    .updateTable('projects')
    .set({ organization_id: null })
    .where('organization_id', '=', organization_id)
    .execute()
}
