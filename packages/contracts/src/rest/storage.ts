import { z } from 'zod'
import { integer } from './common.ts'

/** Default source of imports or target of exports; null if it is not set. */
export const storage = z
  .object({
    id: z.int(),
    location: z.enum(['local', 'cloud_storage']),
    cloud_storage_id: z.int().nullable(),
  })
  .meta({ id: 'Storage' })

export const storageWrite = z
  .object({
    location: z.enum(['local', 'cloud_storage']).optional(),
    cloud_storage_id: integer.nullable().optional(),
  })
  .meta({ id: 'StorageWrite' })

/** Default storages of a project or task, for calls between services; null if they are not set. */
export const defaultStorages = z
  .object({ source_storage: storage.nullable(), target_storage: storage.nullable() })
  .meta({ id: 'DefaultStorages' })

export type Storage = z.infer<typeof storage>
