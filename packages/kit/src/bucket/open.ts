import type { BucketAddress } from './address.ts'
import { type Bucket, BucketFailure } from './bucket.ts'
import type { BucketGuard } from './endpoint.ts'

export type OpenBucket = (address: BucketAddress) => Promise<Bucket>

/**
 * Opens buckets without asking anything yet. The library of a provider is loaded with the first bucket of it: most
 * installations use one, many none. Addresses that users name are guarded, redirects are not followed; those of Google
 * cannot be named.
 *
 * @throws BucketFailure not_installed without the library, unreachable where it can make nothing of the address
 */
export const bucketOpener =
  (guard: BucketGuard): OpenBucket =>
  async (address) => {
    try {
      return await open(address, guard)
    } catch (thrown) {
      // Libraries refuse addresses that they cannot read, in their own words.
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
