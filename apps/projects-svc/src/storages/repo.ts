import type { Storage } from '@reticle/contracts/rest/storage'
import type { Kysely, Transaction } from 'kysely'
import { type Owner, ownerColumns, ownerKey, ownerOf } from '../access/owner.ts'
import type { ProjectsDb, StorageRow } from '../db/schema.ts'

type Purpose = StorageRow['purpose']
export type StorageChange = Pick<StorageRow, 'purpose' | 'location' | 'cloud_storage_id'>

/** Storages of many owners, by owner and purpose. */
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

/** Returns the storage of an owner for a purpose; null: unset. */
export function storageOf(storages: Storages, owner: Owner, purpose: Purpose): Storage | null {
  return storages.get(storageKey(owner, purpose)) ?? null
}

const storageKey = (owner: Owner, purpose: Purpose) => `${ownerKey(owner)}:${purpose}`

/** Sets storages of an owner, at most one for each purpose; the others stay. */
export async function setStorages(
  tx: Transaction<ProjectsDb>,
  owner: Owner,
  changes: readonly StorageChange[],
): Promise<void> {
  if (changes.length === 0) return
  await tx
    .insertInto('storages')
    .values(changes.map((change) => ({ ...ownerColumns(owner), ...change })))
    .onConflict((conflict) =>
      conflict.constraint('storages_purpose_key').doUpdateSet(({ ref }) => ({
        location: ref('excluded.location'),
        cloud_storage_id: ref('excluded.cloud_storage_id'),
      })),
    )
    .execute()
}

/** Lists projects and tasks that use a cloud storage or whose media it contains, and counts the uses. */
export async function listUsers(db: Kysely<ProjectsDb>, cloud_storage_id: number) {
  const rows = await db
    .selectFrom('storages')
    .select(['project_id', 'task_id'])
    .where('cloud_storage_id', '=', cloud_storage_id)
    .execute()
  const holds = await listTasksIn(db, cloud_storage_id)
  const project_ids = new Set(rows.flatMap(({ project_id }) => project_id ?? []))
  const task_ids = new Set([...rows.flatMap(({ task_id }) => task_id ?? []), ...holds])
  const uses = rows.length + holds.length
  return { project_ids: [...project_ids], task_ids: [...task_ids], uses }
}

export async function countUses(db: Kysely<ProjectsDb>, cloud_storage_id: number): Promise<number> {
  return (await listUsers(db, cloud_storage_id)).uses
}

/** Removes these cloud storages from all projects and tasks that use them, also as the source of media. */
export async function deleteUses(
  tx: Transaction<ProjectsDb>,
  cloud_storage_ids: readonly number[],
): Promise<void> {
  await tx
    .deleteFrom('storages')
    .where((where) =>
      where('cloud_storage_id', '=', where.fn.any(where.val([...cloud_storage_ids]))),
    )
    .execute()
  await tx
    .updateTable('data_sets')
    .set({ cloud_storage_id: null })
    .where((where) =>
      where('cloud_storage_id', '=', where.fn.any(where.val([...cloud_storage_ids]))),
    )
    .execute()
}

/** Detaches the media of these tasks from cloud storages; it cannot be read until another storage is set. */
export async function cutSources(
  tx: Transaction<ProjectsDb>,
  task_ids: readonly number[],
): Promise<void> {
  await tx
    .updateTable('data_sets')
    .set({ cloud_storage_id: null })
    .where((where) => where('task_id', '=', where.fn.any(where.val([...task_ids]))))
    .where('cloud_storage_id', 'is not', null)
    .execute()
}

/** Lists the tasks whose media is in a cloud storage. */
async function listTasksIn(db: Kysely<ProjectsDb>, cloud_storage_id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('data_sets')
    .select('task_id')
    .where('cloud_storage_id', '=', cloud_storage_id)
    .execute()
  return rows.map(({ task_id }) => task_id)
}
