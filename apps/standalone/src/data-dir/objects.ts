import { join } from 'node:path'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { diskBlobs } from '@reticle/kit/blob/disk'
import { s3Settings } from '@reticle/kit/process/settings'
import { z } from 'zod'

/** Location of objects: an S3 of the operator, or a folder of the data directory. Survives structured cloning. */
export const objectsOptions = z.object({
  folder: z.string(),
  s3: s3Settings.optional(),
})

/** Returns the folder of objects in a data directory. */
export const objectsOf = (dataDir: string) => join(dataDir, 'objects')

/**
 * Opens the objects. Loads the S3 client only when used, because loading it takes longer than everything else together.
 */
export async function openObjects({
  folder,
  s3,
}: z.infer<typeof objectsOptions>): Promise<BlobStore> {
  if (!s3) return diskBlobs(folder)
  const { s3Blobs } = await import('@reticle/kit/blob/s3')
  return s3Blobs(s3)
}
