import type { Principal } from '@reticle/contracts/rest/principal'
import { assertPermitted } from '@reticle/kit/call/policy'
import type { Kysely } from 'kysely'
import { fieldError, noSuchObject } from '../bodies/field-error.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { cloudStorageRules } from './cloud/policy.ts'
import { findCloudStorages } from './cloud/repo.ts'
import { cloudStorageStanding } from './cloud/standing.ts'
import type { StorageChange } from './repo.ts'

/**
 * Checks the cloud storages in changes of storages: they must exist (400), be visible to the caller (403) and belong
 * to the workspace of the owner (400). One query.
 *
 * @returns the same changes
 */
export async function checkStorages(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  changes: StorageChange[],
  organization_id: number | null,
): Promise<StorageChange[]> {
  const named = changes.flatMap(({ purpose, cloud_storage_id: id }) =>
    id === null ? [] : [{ id, path: [`${purpose}_storage`, 'cloud_storage_id'] }],
  )
  if (named.length === 0) return changes
  const known = await findCloudStorages(
    db,
    named.map(({ id }) => id),
  )
  for (const { id, path } of named) {
    const row = known.get(id)
    if (!row) throw fieldError(path, noSuchObject(id))
    assertPermitted(cloudStorageRules, 'view', principal, cloudStorageStanding(principal, row))
    if (row.organization_id !== organization_id)
      throw fieldError(path, 'The cloud storage belongs to another workspace.')
  }
  return changes
}
