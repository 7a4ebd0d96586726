import type { InferResult, Insertable, Kysely, Transaction } from 'kysely'
import type { InvitationsTable, ProjectsDb } from '../../db/schema.ts'

/** SQL of invitations. A transaction can be passed as `Db`. */
type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

export function selectInvitations(db: Db) {
  return db
    .selectFrom('invitations')
    .innerJoin('memberships', 'memberships.id', 'invitations.membership_id')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .selectAll('invitations')
    .select([
      'memberships.organization_id',
      'memberships.user_id',
      'memberships.role',
      'memberships.is_active as accepted',
      'organizations.slug',
    ])
}

/** Row of an invitation with its membership. */
export type InvitationView = InferResult<ReturnType<typeof selectInvitations>>[number]

export function findInvitation(db: Db, key: string): Promise<InvitationView | undefined> {
  return selectInvitations(db).where('invitations.key', '=', key).executeTakeFirst()
}

export function findInvitationTo(
  db: Db,
  membership_id: number,
): Promise<InvitationView | undefined> {
  return selectInvitations(db)
    .where('invitations.membership_id', '=', membership_id)
    .executeTakeFirst()
}

/** Lists the unaccepted invitations that a user sent, in one organization or all. */
export function listOpenSent(
  db: Db,
  { owner_id, organization_id }: { owner_id: number; organization_id?: number },
): Promise<InvitationView[]> {
  let rows = selectInvitations(db)
    .where('invitations.owner_id', '=', owner_id)
    .where('memberships.is_active', '=', false)
  if (organization_id !== undefined)
    rows = rows.where('memberships.organization_id', '=', organization_id)
  return rows.orderBy('memberships.organization_id').orderBy('invitations.id').execute()
}

/** Locks the organization, which is the key of its events, then the invitation. */
export async function lockInvitation(tx: Tx, key: string): Promise<InvitationView | undefined> {
  await tx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', (of) =>
      of
        .selectFrom('invitations')
        .innerJoin('memberships', 'memberships.id', 'invitations.membership_id')
        .select('memberships.organization_id')
        .where('invitations.key', '=', key),
    )
    .forUpdate()
    .execute()
  return selectInvitations(tx)
    .where('invitations.key', '=', key)
    .forUpdate('invitations')
    .executeTakeFirst()
}

export async function insertInvitation(tx: Tx, row: Insertable<InvitationsTable>): Promise<void> {
  await tx.insertInto('invitations').values(row).execute()
}

export async function updateSentDate(tx: Tx, id: number, sent_date: Date): Promise<void> {
  await tx.updateTable('invitations').set({ sent_date }).where('id', '=', id).execute()
}

/** Deletes an invitation and keeps the membership. */
export async function deleteInvitation(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('invitations').where('id', '=', id).execute()
}
