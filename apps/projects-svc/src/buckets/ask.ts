import { conflict, DomainError, forbidden, invalid, notFound, unavailable } from '@reticle/kit'
import { type Bucket, BucketFailure, type BucketReason } from '@reticle/kit/bucket/bucket'
import type { OpenBucket } from '@reticle/kit/bucket/open'
import type { Net } from '@reticle/kit/outgoing/guard'
import type { SecretBox } from '@reticle/kit/secrets'
import type { CloudStorageRow } from '../db/schema.ts'
import { type Located, locate } from './address.ts'
import type { Attributes } from './attributes.ts'
import { openCredentials } from './secret.ts'

/** Asking the bucket of a storage. Never inside a transaction: somebody else's store may take its time. */

export interface Outside {
  /** For storages that any user connected. */
  ordinary: Reach
  /** For storages that an administrator connected. */
  inside: Reach
  /** Absent: storages with credentials cannot be used. */
  secrets: SecretBox | undefined
}

/** Where buckets may be. */
export interface Reach {
  open: OpenBucket
  /** Networks that are not public and are allowed. */
  nets: readonly Net[]
}

/** A storage that an administrator connected may be in more networks. */
export const reachOf = (
  outside: Outside,
  { is_inside_allowed }: Pick<CloudStorageRow, 'is_inside_allowed'>,
): Reach => (is_inside_allowed ? outside.inside : outside.ordinary)

/** Of one call, below what its callers wait for. */
const longestMs = 30_000

/** Ends with the call, and before it. */
export const patience = ({ signal }: { signal: AbortSignal }): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(longestMs)])

/** @throws DomainError invalid naming the field */
export async function openBucket({ open }: Reach, { address }: Located): Promise<Bucket> {
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
 * The bucket of a stored row, with its credentials for this one call.
 *
 * @throws BucketFailure blocked when the settings do not allow its address any more
 */
export async function bucketOf(
  outside: Outside,
  row: CloudStorageRow,
): Promise<{ bucket: Bucket; attributes: Attributes }> {
  const { address, attributes } = relocate(outside, row)
  return { bucket: await reachOf(outside, row).open(address), attributes }
}

function relocate(outside: Outside, row: CloudStorageRow): Located {
  const credentials = openCredentials(outside.secrets, row)
  try {
    return locate(row, credentials, reachOf(outside, row).nets)
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.kind === 'invalid')
      throw new BucketFailure('blocked')
    throw thrown
  }
}

/** Keys that are looked for at once. */
const atOnce = 8

/**
 * Refuses what cannot be used: a bucket that is not there or closed to the credentials, manifests that it does not have
 * (`spec/api-workspace.md` 5.5).
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

/** Some stores hide whether a key is there from who may not list. */
async function hasKey(bucket: Bucket, key: string, signal: AbortSignal): Promise<boolean> {
  try {
    return key !== '' && (await bucket.exists(key, signal))
  } catch (thrown) {
    if (thrown instanceof BucketFailure && thrown.reason === 'forbidden') return false
    throw thrown instanceof BucketFailure ? domainError(thrown) : thrown
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

export const domainError = ({ reason }: BucketFailure): DomainError => errors[reason]()

/** Runs what asks a bucket; its failures become errors for the caller. */
export async function asking<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (thrown) {
    throw thrown instanceof BucketFailure ? domainError(thrown) : thrown
  }
}
