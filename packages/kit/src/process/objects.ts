import type { BlobStore } from '../blob/blob.ts'
import { s3Blobs } from '../blob/s3.ts'
import type { SettingsParts } from '../settings/parts.ts'
import { type App, openWithRetry } from './program.ts'
import type { S3Settings } from './settings.ts'

/**
 * Opens the object store in S3. It waits while the store rejects the credentials; if the store cannot be reached, calls
 * fail with 503 until it returns.
 */
export function openObjects(
  app: Pick<App<SettingsParts>, 'log' | 'signal'>,
  s3: S3Settings,
): Promise<BlobStore> {
  const onError = (err: unknown) => app.log.warn({ err }, 'the object store failed')
  return openWithRetry(app, 'the object store', () => s3Blobs({ ...s3, onError }))
}
