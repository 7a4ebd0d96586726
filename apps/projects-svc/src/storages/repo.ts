import type { Storage } from '@reticle/contracts/rest/storage'
import type { Kysely, Transaction } from 'kysely'
import type { ProjectsDb, StorageRow } from '../db/schema.ts'
import { type Owner, ownerColumns, ownerKey, ownerOf } from '../owner.ts'

export type Purpose = StorageRow['purpose']
export type StorageChange = Pick<StorageRow, 'location' | 'cloud_storage_id'>

/** Storages of many owners, in one query. */
export type Storages = ReadonlyMap<string, Storage>

export async function listStoragesOf(
  db: Kysely<ProjectsDb>,
  owners: readonly Owner[],
): Promise<Storages> {
  if (owners.length === 0) return new Map()
  const ids = (kind: Owner['kind']) =>
    owners.filter((one) => one.kind === kind).map((one) => one.id)
  const rows = await db
    .selectFrom('storages')
    .selectAll()
    .where((where) =>
      where.or([
        where('project_id', '=', where.fn.any(where.val(ids('project')))),
        where('task_id', '=', where.fn.any(where.val(ids('task')))),
      ]),
    )
    .execute()
  return new Map(
    rows.map(({ id, location, cloud_storage_id, purpose, ...row }) => [
      storageKey(ownerOf(row), purpose),
      { id, location, cloud_storage_id },
    ]),
  )
}

/** The storage of an owner for a purpose; null: unset. */
export function storageOf(storages: Storages, owner: Owner, purpose: Purpose): Storage | null {
  return storages.get(storageKey(owner, purpose)) ?? null
}

const storageKey = (owner: Owner, purpose: Purpose) => `${ownerKey(owner)}:${purpose}`

export async function setStorage(
  tx: Transaction<ProjectsDb>,
  owner: Owner,
  purpose: Purpose,
  change: StorageChange,
): Promise<void> {
  await tx
    .insertInto('storages')
    .values({ ...ownerColumns(owner), purpose, ...change })
    .onConflict((conflict) => conflict.constraint('storages_purpose_key').doUpdateSet(change))
    .execute()
}
