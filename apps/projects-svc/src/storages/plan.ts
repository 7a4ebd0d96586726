import type { Storage, storageWrite } from '@reticle/contracts/rest/storage'
import type { z } from 'zod'
import { fieldError } from '../bodies/field-error.ts'
import type { StorageChange } from './repo.ts'

type StorageWrite = z.infer<typeof storageWrite>

interface Bodies {
  source_storage?: StorageWrite
  target_storage?: StorageWrite
}

type PlannedStorage = Omit<StorageChange, 'purpose'>

const none = { source_storage: null, target_storage: null }

/**
 * Plans the storages of an owner: a PATCH is merged into the current ones, and changes without effect are left out.
 * `check.ts` checks whether a cloud storage may be named.
 *
 * @throws DomainError invalid naming the field
 */
export function planStorages(
  body: Bodies,
  current: Record<keyof Bodies, Storage | null> = none,
): StorageChange[] {
  return (['source', 'target'] as const).flatMap((purpose) => {
    const field = `${purpose}_storage` as const
    const given = body[field]
    if (given === undefined) return []
    const place = merged(given, current[field], field)
    return isSame(place, current[field]) ? [] : [{ purpose, ...place }]
  })
}

function merged(given: StorageWrite, current: Storage | null, field: string): PlannedStorage {
  if (given.location === undefined && given.cloud_storage_id !== undefined)
    throw fieldError([field, 'location'], 'This field is required beside cloud_storage_id.')
  const location = given.location ?? current?.location ?? 'local'
  const { cloud_storage_id = location === 'local' ? null : (current?.cloud_storage_id ?? null) } =
    given
  const place = [field, 'cloud_storage_id']
  if (location === 'local' && cloud_storage_id !== null)
    throw fieldError(place, 'A local storage has no cloud storage.')
  if (location === 'cloud_storage' && cloud_storage_id === null)
    throw fieldError(place, 'This field is required with location cloud_storage.')
  return { location, cloud_storage_id }
}

function isSame(place: PlannedStorage, current: Storage | null): boolean {
  return current?.location === place.location && current.cloud_storage_id === place.cloud_storage_id
}
