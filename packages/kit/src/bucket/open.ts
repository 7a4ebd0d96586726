import type { BucketAddress } from './address.ts'
import { type Bucket, BucketFailure } from './bucket.ts'
import type { BucketGuard } from './endpoint.ts'

export type OpenBucket = (address: BucketAddress) => Promise<Bucket>

/**
 * Opens buckets without sending a request. The library of a provider is loaded with its first bucket, because most
 * installations use one provider and many use none. Addresses of users are guarded, and redirects are not followed; the
 * addresses of Google cannot be changed.
 * @throws BucketFailure `not_installed` without the library, `unreachable` if the library rejects the address
 */
export const bucketOpener =
  (guard: BucketGuard): OpenBucket =>
  async (address) => {
    try {
      return await open(address, guard)
    } catch (thrown) {
      // Libraries reject invalid addresses with errors that have no common type.
      throw new BucketFailure(isMissingLibrary(thrown) ? 'not_installed' : 'unreachable')
    }
  }

async function open(address: BucketAddress, guard: BucketGuard): Promise<Bucket> {
  if (address.provider === 's3') return (await import('./s3.ts')).s3Bucket(address, guard)
  if (address.provider === 'azure') return (await import('./azure.ts')).azureBucket(address, guard)
  return (await import('./google.ts')).googleBucket(address)
}

function isMissingLibrary(thrown: unknown): boolean {
  const code = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
}
