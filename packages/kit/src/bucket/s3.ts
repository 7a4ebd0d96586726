import { orAborted, untilAborted } from '../blob/abort.ts'
import { type S3, s3Client } from '../blob/s3/client.ts'
import { codeOf } from '../blob/s3/errors.ts'
import { getObject } from '../blob/s3/get.ts'
import { putObject } from '../blob/s3/put.ts'
import { DomainError } from '../call/errors.ts'
import { guardedAgent } from '../outgoing/agent.ts'
import type { S3Address } from './address.ts'
import {
  type Bucket,
  BucketFailure,
  type BucketReason,
  type FilePage,
  failureOf,
  isBlocked,
  type Level,
  type LevelQuery,
  largestAnswer,
  probeBy,
  runBucketCall,
  runBucketWrite,
} from './bucket.ts'
import type { BucketGuard } from './endpoint.ts'

/** Opens a bucket of any S3, with the same client as the internal object store. */
export function s3Bucket(address: S3Address, guard: BucketGuard): Bucket {
  const { bucket } = address
  const { small, large } = clientsOf(address, guard)
  const list = (query: LevelQuery, signal: AbortSignal) =>
    runBucketCall(
      () => listLevel(small, query, signal),
      (thrown) => reasonOf(thrown, query.token),
    )

  return {
    list,
    files: (query, signal) =>
      runBucketCall(
        () => listFiles(small, query, signal),
        (thrown) => reasonOf(thrown, query.token),
      ),
    probe: (prefix, signal) => probeBy(() => list({ prefix, size: 1 }, signal)),
    exists: async (key, signal) => {
      try {
        await small.call((client) => client.statObject(bucket, key), { signal })
        return true
      } catch (thrown) {
        if (missing.has(codeOf(causeOf(thrown)))) return false
        throw failureOf(thrown, reasonOf)
      }
    },
    read: (key, part, signal) => read(large, key, part, signal),
    write: (key, chunks, signal) =>
      runBucketWrite(
        { key, chunks, signal },
        (pieces) => putObject(large, key, pieces, { signal, inFlight, isForeign: true }),
        reasonOf,
      ),
    canWrite: async (signal) => {
      try {
        await runBucketCall(() => beginUpload(small, signal), reasonOf)
        return true
      } catch (thrown) {
        if (thrown instanceof BucketFailure && thrown.reason === 'forbidden') return false
        throw thrown
      }
    },
  }
}

/**
 * With one part at a time, all earlier parts are stored when the last
 * bytes are read, so the write can be given up until then.
 */
const inFlight = 1

const amazon = 'https://s3.amazonaws.com'

/** Creates two clients: connections of responses that are buffered whole end above a size limit. */
function clientsOf(address: S3Address, guard: BucketGuard) {
  const { endpoint = amazon, bucket, region, credentials } = address
  const { protocol } = new URL(endpoint)
  const options = {
    endpoint,
    bucket,
    // Amazon is queried for the region of the bucket. Other stores
    // mostly have one region, named like the first of Amazon.
    region: region ?? (address.endpoint === undefined ? undefined : 'us-east-1'),
    accessKey: credentials?.key ?? '',
    secretKey: credentials?.secret ?? '',
    sessionToken: credentials?.sessionToken,
    pathStyle: address.endpoint !== undefined,
  }
  const agent = (maxBytes?: number) => guardedAgent(protocol, { ...guard, maxBytes })
  return {
    small: s3Client({ ...options, agent: agent(largestAnswer) }),
    large: s3Client({ ...options, agent: agent() }),
  }
}

async function listLevel(
  { call, bucket }: S3,
  { prefix, token = '', size }: LevelQuery,
  signal: AbortSignal,
): Promise<Level> {
  const { objects, isTruncated, nextContinuationToken } = await call(
    (client) => client.listObjectsV2Query(bucket, prefix, token, '/', size, ''),
    { signal },
  )
  return {
    directories: objects.flatMap((one) => one.prefix ?? []),
    keys: objects.flatMap((one) => one.name ?? []),
    next: isTruncated ? String(nextContinuationToken) : null,
  }
}

async function listFiles(
  { call, bucket }: S3,
  { prefix, token = '', size }: LevelQuery,
  signal: AbortSignal,
): Promise<FilePage> {
  const { objects, isTruncated, nextContinuationToken } = await call(
    (client) => client.listObjectsV2Query(bucket, prefix, token, '', size, ''),
    { signal },
  )
  return {
    files: objects.flatMap(({ name, size: bytes = 0 }) =>
      name === undefined ? [] : [{ key: name, size: bytes }],
    ),
    next: isTruncated ? String(nextContinuationToken) : null,
  }
}

async function* read(
  s3: S3,
  key: string,
  { start = 0, end }: { start?: number; end?: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    const { chunks } = await orAborted(getObject(s3, key, { start, end }), signal)
    yield* untilAborted(chunks, signal)
  } catch (thrown) {
    const isMissing = thrown instanceof DomainError && thrown.kind === 'not_found'
    throw isMissing ? new BucketFailure('no_key') : failureOf(thrown, reasonOf)
  }
}

const probeKey = '.reticle-may-write'

/** Starts and aborts a multipart upload, which checks permission to write without writing an object. */
async function beginUpload({ call, bucket }: S3, signal: AbortSignal): Promise<void> {
  const id = await call((client) => client.initiateNewMultipartUpload(bucket, probeKey, {}), {
    signal,
  })
  await call((client) => client.abortMultipartUpload(bucket, probeKey, id), { signal })
}

const missing = new Set(['NotFound', 'NoSuchKey'])
const forbidden = new Set([
  'AccessDenied',
  'AllAccessDisabled',
  'AccountProblem',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'TokenRefreshRequired',
  'RequestTimeTooSkewed',
  'InvalidSecurity',
  'NotSignedUp',
  'Forbidden',
])
const noBucket = new Set(['NoSuchBucket', 'NotFound', 'InvalidBucketName', 'PermanentRedirect'])

function reasonOf(thrown: unknown, token?: string): BucketReason {
  const cause = causeOf(thrown)
  if (isBlocked(cause)) return 'blocked'
  const code = codeOf(cause) || (cause instanceof Error ? cause.name : '')
  if (forbidden.has(code)) return 'forbidden'
  if (noBucket.has(code) || code === 'InvalidBucketNameError') return 'not_found'
  if (code === 'InvalidArgument' && token !== undefined) return 'bad_token'
  return 'unreachable'
}

const causeOf = (thrown: unknown) => (thrown instanceof DomainError ? thrown.cause : thrown)
