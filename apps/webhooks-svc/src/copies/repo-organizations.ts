import type { Kysely, Transaction } from 'kysely'
import type { OrganizationCopyRow, WebhooksDb } from '../db/schema.ts'

type Db = Kysely<WebhooksDb>
type Tx = Transaction<WebhooksDb>

/**
 * Locks the row that represents all webhooks of an organization. Inserts it if the first event of the organization
 * has not arrived yet; the event later adds the slug.
 */
export async function lockOrganization(tx: Tx, id: number): Promise<OrganizationCopyRow> {
  await tx
    .insertInto('organizations')
    .values({ id, slug: null })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  return tx
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** Stores the organization of an event. Events of one organization arrive in order. */
export async function saveOrganization(db: Db, organization: OrganizationCopyRow): Promise<void> {
  const { id, ...known } = organization
  await db
    .insertInto('organizations')
    .values(organization)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(known))
    .execute()
}

/** Returns the current slug; null when no event of the organization has arrived. */
export async function findSlug(db: Db, id: number | null): Promise<string | null> {
  if (id === null) return null
  const row = await db
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.slug ?? null
}
