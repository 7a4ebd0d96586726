import type { OrganizationRole } from '@reticle/contracts/rest/principal'
import { type Insertable, type Kysely, sql, type Transaction, type Updateable } from 'kysely'
import { laterDate } from '../db/dates.ts'
import type { OrganizationRow, OrganizationsTable, ProjectsDb } from '../db/schema.ts'

/** SQL of organizations. A transaction can be passed as `Db`. */
type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

export function findOrganization(db: Db, id: number): Promise<OrganizationRow | undefined> {
  return db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Finds an organization by slug, without regard to case. */
export function findOrganizationBySlug(db: Db, slug: string): Promise<{ id: number } | undefined> {
  return db
    .selectFrom('organizations')
    .select('id')
    .where(sql<boolean>`lower(slug) = lower(${slug})`)
    .executeTakeFirst()
}

/** Locks the row that is the key of the events of an organization, its memberships and invitations. */
export function lockOrganization(tx: Tx, id: number): Promise<OrganizationRow | undefined> {
  return tx
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Keeps an organization from being deleted before this transaction ends; several transactions can hold this lock. */
export function lockExistence(tx: Tx, id: number): Promise<{ id: number } | undefined> {
  return tx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
}

export function insertOrganization(
  tx: Tx,
  row: Insertable<OrganizationsTable>,
): Promise<OrganizationRow> {
  return tx.insertInto('organizations').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Updates a locked row and its `updated_date`. */
export function updateOrganization(
  tx: Tx,
  id: number,
  changes: Updateable<OrganizationsTable>,
): Promise<OrganizationRow> {
  return tx
    .updateTable('organizations')
    .set({ ...changes, updated_date: laterDate })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Deletes an organization with its memberships and invitations. */
export async function deleteOrganization(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('organizations').where('id', '=', id).execute()
}

/**
 * Lists organizations that a user is a member of, is invited to, owns, or has open invitations in, in locking order.
 */
export async function listOrganizationsWith(db: Db, user_id: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select organization_id as id from memberships where user_id = ${user_id}
    union select id from organizations where owner_id = ${user_id}
    union select organization_id from invitations
      join memberships on memberships.id = membership_id
      where invitations.owner_id = ${user_id} and not is_active
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Lists the slugs of the organizations that a user owns. */
export async function listSlugsOwned(db: Db, user_id: number): Promise<string[]> {
  const rows = await db
    .selectFrom('organizations')
    .select('slug')
    .where('owner_id', '=', user_id)
    .orderBy('id')
    .execute()
  return rows.map(({ slug }) => slug)
}

/** Returns the roles of a user by organization, from active memberships. */
export async function listRoles(
  db: Db,
  user_id: number,
): Promise<Record<string, OrganizationRole>> {
  const rows = await db
    .selectFrom('memberships')
    .select(['organization_id', 'role'])
    .where('user_id', '=', user_id)
    .where('is_active', '=', true)
    .execute()
  return Object.fromEntries(rows.map(({ organization_id, role }) => [organization_id, role]))
}

/** Returns the ids of the active members of an organization, as SQL. */
export const membersOf = (organization_id: number) => sql<number>`
  select user_id from memberships where organization_id = ${organization_id} and is_active`

/** Lists which of these users are active members of the organization. */
export async function listMembersAmong(
  db: Db,
  organization_id: number,
  user_ids: readonly number[],
): Promise<number[]> {
  const rows = await db
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organization_id)
    .where('is_active', '=', true)
    .where((where) => where('user_id', '=', where.fn.any(where.val([...user_ids]))))
    .execute()
  return rows.map((row) => row.user_id)
}
