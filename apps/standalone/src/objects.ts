import { join } from 'node:path'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { diskBlobs } from '@reticle/kit/blob/disk'
import { s3Blobs } from '@reticle/kit/blob/s3'
import { s3Settings } from '@reticle/kit/process/settings'
import { z } from 'zod'

/** Where objects are: in an S3 of one's own, or in a folder of the data directory. Survives being sent to a thread. */
export const objectsOptions = z.object({
  folder: z.string(),
  s3: s3Settings.optional(),
})

/** The folder in a data directory. */
export const objectsOf = (dataDir: string) => join(dataDir, 'objects')

export const openObjects = ({ folder, s3 }: z.infer<typeof objectsOptions>): Promise<BlobStore> =>
  s3 ? s3Blobs(s3) : diskBlobs(folder)
