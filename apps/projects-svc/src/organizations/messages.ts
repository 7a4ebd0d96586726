import {
  type Organization,
  organization as organizationRecord,
} from '@reticle/contracts/rest/organizations'
import type { BasicUser } from '@reticle/contracts/rest/users'
import type { OrganizationRow } from '../db/schema.ts'
import { basicUsers } from '../identity/index.ts'
import type { Db } from './deps.ts'

/** Converts a row to an organization record. */
function toOrganization(
  row: OrganizationRow,
  people: ReadonlyMap<number, BasicUser>,
): Organization {
  const { id, slug, name, description, created_date, updated_date, contact, owner_id } = row
  return {
    id,
    slug,
    name,
    description,
    created_date: created_date.toISOString(),
    updated_date: updated_date.toISOString(),
    contact: organizationRecord.shape.contact.parse(contact),
    owner: people.get(owner_id ?? 0) ?? null,
  }
}

/** Converts rows to records in the same order, with one query for any number of rows. */
export async function organizationRecords(
  db: Db,
  rows: readonly OrganizationRow[],
): Promise<Organization[]> {
  const people = await basicUsers(
    db,
    rows.flatMap(({ owner_id }) => owner_id ?? []),
  )
  return rows.map((row) => toOrganization(row, people))
}

export async function organizationOf(db: Db, row: OrganizationRow): Promise<Organization> {
  const [record] = await organizationRecords(db, [row])
  if (!record) throw new Error(`organization ${row.id} has no record`)
  return record
}
