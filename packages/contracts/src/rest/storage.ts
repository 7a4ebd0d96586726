import { z } from 'zod'
import { integer } from './common.ts'

/** Where imports come from and exports go (`spec/api-workspace.md` 4.1); null: unset. */
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

/** Those of a project or task, as services tell each other of them; null: unset. */
export const defaultStorages = z
  .object({ source_storage: storage.nullable(), target_storage: storage.nullable() })
  .meta({ id: 'DefaultStorages' })

export type Storage = z.infer<typeof storage>
