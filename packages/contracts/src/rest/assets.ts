import { z } from 'zod'
import { bytes, integer, timestamp } from './common.ts'
import { basicUser } from './users.ts'

/** Images and documents of guides. See docs/spec/workspace.md#assets. */

/** Size limit of a file in bytes. */
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

/** Fields of the form beside its file. */
export const assetFields = z.object({ guide_id: integer })
export const assetForm = assetFields.extend({ file: bytes })

/** Id of an asset in any case; an invalid one is a missing asset. */
export const assetParams = z.object({ uuid: z.guid().toLowerCase() })

/** File in the object store that is to become an asset. */
export const assetUpload = z
  .object({
    upload_id: z.string(),
    guide_id: z.int(),
    filename: z.string(),
    /** Media type as stated by the client. */
    media_type: z.string(),
  })
  .meta({ id: 'AssetUpload' })

/** Location and metadata of the file of an asset. */
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
