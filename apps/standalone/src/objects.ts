import { join } from 'node:path'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { diskBlobs } from '@reticle/kit/blob/disk'
import { s3Settings } from '@reticle/kit/process/settings'
import { z } from 'zod'

/** Where objects are: in an S3 of one's own, or in a folder of the data directory. Survives being sent to a thread. */
export const objectsOptions = z.object({
  folder: z.string(),
  s3: s3Settings.optional(),
})

/** The folder in a data directory. */
export const objectsOf = (dataDir: string) => join(dataDir, 'objects')

/** The client of S3 takes longer to load than everything else together: only who uses it shall wait for it. */
export async function openObjects({
  folder,
  s3,
}: z.infer<typeof objectsOptions>): Promise<BlobStore> {
  if (!s3) return diskBlobs(folder)
  const { s3Blobs } = await import('@reticle/kit/blob/s3')
  return s3Blobs(s3)
}
