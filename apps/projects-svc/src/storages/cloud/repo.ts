import type { Insertable, Kysely, Transaction, Updateable } from 'kysely'
import type { MoveTarget } from '../../access/workspace-move.ts'
import { laterDate } from '../../db/dates.ts'
import type { CloudStorageRow, CloudStoragesTable, ProjectsDb } from '../../db/schema.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>
export type CloudStorageChanges = Updateable<CloudStoragesTable>

export function findCloudStorage(db: Db, id: number): Promise<CloudStorageRow | undefined> {
  return db.selectFrom('cloud_storages').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findCloudStorages(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, CloudStorageRow>> {
  const rows = await db
    .selectFrom('cloud_storages')
    .selectAll()
    .where((where) => where('id', '=', where.fn.any(where.val([...ids]))))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Locks the row that is the key of its events. The lock order is project, task, cloud storage. */
export function lockCloudStorage(tx: Tx, id: number): Promise<CloudStorageRow | undefined> {
  return tx
    .selectFrom('cloud_storages')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Locks all storages of an organization, in id order. */
export function lockCloudStoragesOfOrganization(
  tx: Tx,
  organization_id: number,
): Promise<CloudStorageRow[]> {
  return tx
    .selectFrom('cloud_storages')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .orderBy('id')
    .forUpdate()
    .execute()
}

export function insertCloudStorage(
  tx: Tx,
  row: Insertable<CloudStoragesTable>,
): Promise<CloudStorageRow> {
  return tx.insertInto('cloud_storages').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Stores the credentials of a new row. They are bound to its id, so they cannot be sealed before the insert. */
export async function setCredentials(tx: Tx, id: number, credentials_sealed: string) {
  await tx.updateTable('cloud_storages').set({ credentials_sealed }).where('id', '=', id).execute()
}

/** Updates a locked row and its `updated_date`. */
export function updateCloudStorage(
  tx: Tx,
  id: number,
  changes: CloudStorageChanges,
): Promise<CloudStorageRow> {
  return tx
    .updateTable('cloud_storages')
    .set({ ...changes, updated_date: laterDate })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Removes locked storages from their organization and returns them in id order. */
export async function releaseCloudStorages(
  tx: Tx,
  organization_id: number,
): Promise<CloudStorageRow[]> {
  const rows = await tx
    .updateTable('cloud_storages')
    .set({ organization_id: null, updated_date: laterDate })
    .where('organization_id', '=', organization_id)
    .returningAll()
    .execute()
  return rows.sort((one, other) => one.id - other.id)
}

export async function deleteCloudStorages(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('cloud_storages')
    .where((where) => where('id', '=', where.fn.any(where.val([...ids]))))
    .execute()
}

/**
 * Lists the storages of a workspace that have the provider, resource, attributes and manifests of storage `id`; at
 * most two, enough to see an ambiguity.
 */
export async function listEqualStorages(
  db: Db,
  id: number,
  { organization_id, owner_id }: MoveTarget,
): Promise<number[]> {
  const rows = await db
    .selectFrom('cloud_storages as other')
    .innerJoin('cloud_storages as one', (join) =>
      join
        .onRef('one.provider_type', '=', 'other.provider_type')
        .onRef('one.resource', '=', 'other.resource')
        .onRef('one.specific_attributes', '=', 'other.specific_attributes')
        .onRef('one.manifests', '=', 'other.manifests'),
    )
    .select('other.id')
    .where('one.id', '=', id)
    .where('other.organization_id', 'is not distinct from', organization_id)
    .$if(organization_id === null, (own) => own.where('other.owner_id', '=', owner_id))
    .limit(2)
    .execute()
  return rows.map((row) => row.id)
}
