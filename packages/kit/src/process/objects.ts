import type { BlobStore } from '../blob/blob.ts'
import { s3Blobs } from '../blob/s3.ts'
import { eventually } from './eventually.ts'
import type { Parts } from './parts.ts'
import type { App } from './program.ts'
import type { S3Settings } from './settings.ts'

/** Objects in S3. One that refuses us is waited for; one that is away is met by the calls, which are 503 until it is back. */
export function openObjects(
  app: Pick<App<Parts>, 'log' | 'signal'>,
  s3: S3Settings,
): Promise<BlobStore> {
  const onError = (err: unknown) => app.log.warn({ err }, 'the object store failed')
  return eventually(app, 'the object store', () => s3Blobs({ ...s3, onError }))
}
