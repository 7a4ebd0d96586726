import { z } from 'zod'
import { bytes, integer, timestamp } from './common.ts'
import { basicUser } from './users.ts'

/** Pictures and documents that guides show: `spec/api-workspace.md` 5.4. */

/** Bytes of one file. */
export const largestAsset = 10 * 1024 * 1024

export const asset = z
  .object({
    uuid: z.string(),
    filename: z.string(),
    created_date: timestamp,
    owner: basicUser.nullable(),
    guide_id: z.int(),
  })
  .meta({ id: 'Asset' })

/** The fields of the form beside its file. */
export const assetFields = z.object({ guide_id: integer })
export const assetForm = assetFields.extend({ file: bytes })

/** In whatever case; what is none names no asset. */
export const assetParams = z.object({ uuid: z.guid().toLowerCase() })

/** A file that lies in the object store and is to become an asset. */
export const assetUpload = z
  .object({
    upload_id: z.string(),
    guide_id: z.int(),
    filename: z.string(),
    /** What the client says it is. */
    media_type: z.string(),
  })
  .meta({ id: 'AssetUpload' })

/** Where an asset lies and how it is called. */
export const assetFile = z
  .object({
    key: z.string(),
    size: z.int(),
    filename: z.string(),
    media_type: z.string(),
    etag: z.string(),
    created_date: timestamp,
  })
  .meta({ id: 'AssetFile' })

export type Asset = z.infer<typeof asset>
export type AssetUpload = z.infer<typeof assetUpload>
export type AssetFile = z.infer<typeof assetFile>
