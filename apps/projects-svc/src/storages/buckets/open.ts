import { conflict, DomainError, forbidden, invalid, notFound, unavailable } from '@reticle/kit'
import { type Bucket, BucketFailure, type BucketReason } from '@reticle/kit/bucket/bucket'
import type { OpenBucket } from '@reticle/kit/bucket/open'
import type { Net } from '@reticle/kit/outgoing/guard'
import type { SecretBox } from '@reticle/kit/settings/secrets'
import type { CloudStorageRow } from '../../db/schema.ts'
import { type LocatedBucket, locateBucket } from './address.ts'
import type { Attributes } from './attributes.ts'
import { openCredentials } from './secret.ts'

/** Access to buckets of cloud storages. Never use it inside a transaction: a remote store can be slow. */

export interface BucketAccess {
  /** Access for storages that any user connected. */
  ordinary: BucketReach
  /** Access for storages that an administrator connected. */
  inside: BucketReach
  /** Absent: storages with credentials cannot be used. */
  secrets: SecretBox | undefined
}

/** Function that opens buckets, and the networks that it may reach. */
export interface BucketReach {
  open: OpenBucket
  /** Allowed private networks. */
  nets: readonly Net[]
}

/** Returns the networks allowed to a storage: an administrator may connect storages in more of them. */
export const reachOf = (
  outside: BucketAccess,
  { is_inside_allowed }: Pick<CloudStorageRow, 'is_inside_allowed'>,
): BucketReach => (is_inside_allowed ? outside.inside : outside.ordinary)

/** Limit of one call to a bucket, shorter than the deadline of the callers. */
const longestMs = 30_000

/** Returns a signal that aborts with the call, or at the limit of a bucket call. */
export const bucketSignal = ({ signal }: { signal: AbortSignal }): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(longestMs)])

/** Opens a bucket. @throws DomainError invalid naming the field */
export async function openBucket(
  { open }: BucketReach,
  { address }: LocatedBucket,
): Promise<Bucket> {
  try {
    return await open(address)
  } catch (thrown) {
    if (!(thrown instanceof BucketFailure)) throw thrown
    if (thrown.reason !== 'not_installed') throw unreachable()
    throw invalid(
      { provider_type: 'This provider is not part of this installation.' },
      'provider_unavailable',
    )
  }
}

const unreachable = () => invalid({ resource: 'The bucket does not exist, or cannot be reached.' })

/**
 * Opens the bucket of a stored row, with its credentials decrypted for this call.
 *
 * @throws BucketFailure blocked when the settings no longer allow its address
 */
export async function bucketOf(
  outside: BucketAccess,
  row: CloudStorageRow,
): Promise<{ bucket: Bucket; attributes: Attributes }> {
  const { address, attributes } = locateStored(outside, row)
  return { bucket: await reachOf(outside, row).open(address), attributes }
}

function locateStored(outside: BucketAccess, row: CloudStorageRow): LocatedBucket {
  const credentials = openCredentials(outside.secrets, row)
  try {
    return locateBucket(row, credentials, reachOf(outside, row).nets)
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.kind === 'invalid')
      throw new BucketFailure('blocked')
    throw thrown
  }
}

/** Number of keys checked in parallel. */
const atOnce = 8

/**
 * Checks that the bucket exists, that the credentials can read it, and that it contains the manifests.
 *
 * @throws DomainError invalid naming the field
 */
export async function assertUsable(
  bucket: Bucket,
  { prefix, manifests }: { prefix: string; manifests: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const reach = await bucket.probe(prefix, signal)
  if (reach === 'forbidden')
    throw invalid({ credentials: 'The bucket cannot be used with these credentials.' })
  if (reach === 'not_found') throw unreachable()
  for (let at = 0; at < manifests.length; at += atOnce) {
    const keys = manifests.slice(at, at + atOnce)
    const found = await Promise.all(keys.map((key) => hasKey(bucket, key, signal)))
    const missing = keys[found.indexOf(false)]
    if (missing !== undefined) throw invalid({ manifests: `The bucket has no "${missing}".` })
  }
}

/** Some stores answer "forbidden" for a missing key when the credentials may not list. */
async function hasKey(bucket: Bucket, key: string, signal: AbortSignal): Promise<boolean> {
  try {
    return key !== '' && (await bucket.exists(key, signal))
  } catch (thrown) {
    if (thrown instanceof BucketFailure && thrown.reason === 'forbidden') return false
    throw thrown instanceof BucketFailure ? toDomainError(thrown) : thrown
  }
}

const errors: Record<BucketReason, () => DomainError> = {
  forbidden: () => new DomainError('forbidden', 'The bucket cannot be used with its credentials.'),
  not_found: () => notFound('The bucket does not exist.'),
  no_key: () => notFound('The bucket does not have this key any more.'),
  bad_key: () => invalid({ key: 'A key has no segments "." and "..".' }),
  bad_token: () => invalid({ next_token: 'This is no token of an earlier page.' }),
  blocked: () => forbidden('The address of the bucket is not allowed by this installation.'),
  unreachable: () => unavailable('The bucket cannot be reached just now.', 5),
  not_installed: () => conflict('The provider is not part of this installation.'),
}

export const toDomainError = ({ reason }: BucketFailure): DomainError => errors[reason]()

/** Runs a bucket call and converts its failures to errors for the caller. */
export async function withBucketErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (thrown) {
    throw thrown instanceof BucketFailure ? toDomainError(thrown) : thrown
  }
}
