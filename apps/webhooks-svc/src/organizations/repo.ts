import type { Kysely, Transaction } from 'kysely'
import type { OrganizationRow, WebhooksDb } from '../db/schema.ts'

type Db = Kysely<WebhooksDb>
type Tx = Transaction<WebhooksDb>

/**
 * Locks the row that stands for all webhooks of an organization. Its first event may not have come yet: then the row is made
 * of what is known, and the event completes it.
 */
export async function lockOrganization(tx: Tx, id: number): Promise<OrganizationRow> {
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

/** Keeps what an event says of an organization; events of one come in order. */
export async function saveOrganization(db: Db, organization: OrganizationRow): Promise<void> {
  const { id, ...known } = organization
  await db
    .insertInto('organizations')
    .values(organization)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(known))
    .execute()
}

/** As it is called now; null where nothing was heard of it. */
export async function findSlug(db: Db, id: number | null): Promise<string | null> {
  if (id === null) return null
  const row = await db
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.slug ?? null
}
