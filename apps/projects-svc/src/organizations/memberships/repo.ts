import type { InferResult, Insertable, Kysely, Transaction, Updateable } from 'kysely'
import type { MembershipsTable, ProjectsDb } from '../../db/schema.ts'

/** SQL of memberships. A transaction can be passed as `Db`. */
type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

export function selectMemberships(db: Db) {
  return db
    .selectFrom('memberships')
    .leftJoin('invitations', 'invitations.membership_id', 'memberships.id')
    .selectAll('memberships')
    .select('invitations.key as invitation')
}

/** Row of a membership with the key of its invitation. */
export type MembershipView = InferResult<ReturnType<typeof selectMemberships>>[number]

export function findMembership(db: Db, id: number): Promise<MembershipView | undefined> {
  return selectMemberships(db).where('memberships.id', '=', id).executeTakeFirst()
}

export function findMembershipOf(
  db: Db,
  organization_id: number,
  user_id: number,
): Promise<MembershipView | undefined> {
  return selectMemberships(db)
    .where('memberships.organization_id', '=', organization_id)
    .where('memberships.user_id', '=', user_id)
    .executeTakeFirst()
}

/** Lists all memberships of a user, including pending ones. */
export function listMembershipsOf(db: Db, user_id: number): Promise<MembershipView[]> {
  return selectMemberships(db)
    .where('memberships.user_id', '=', user_id)
    .orderBy('memberships.organization_id')
    .execute()
}

/** Locks the organization, which is the key of its events, then the membership. */
export async function lockMembership(tx: Tx, id: number): Promise<MembershipView | undefined> {
  await tx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', (of) =>
      of.selectFrom('memberships').select('organization_id').where('id', '=', id),
    )
    .forUpdate()
    .execute()
  return selectMemberships(tx)
    .where('memberships.id', '=', id)
    .forUpdate('memberships')
    .executeTakeFirst()
}

/** Counts the organizations of a user, including pending memberships. */
export async function countMemberships(db: Db, user_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('memberships')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Inserts a membership of a locked organization. */
export async function insertMembership(
  tx: Tx,
  row: Insertable<MembershipsTable>,
): Promise<MembershipView> {
  const made = await tx
    .insertInto('memberships')
    .values(row)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...made, invitation: null }
}

export async function updateMembership(
  tx: Tx,
  { id, invitation }: MembershipView,
  changes: Updateable<MembershipsTable>,
): Promise<MembershipView> {
  const changed = await tx
    .updateTable('memberships')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...changed, invitation }
}

/** Deletes a membership with its invitation. */
export async function deleteMembership(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('memberships').where('id', '=', id).execute()
}
