import { type Bucket as GoogleApi, Storage, type StorageOptions } from '@google-cloud/storage'
import { orAborted, untilAborted } from '../blob/abort.ts'
import { partsOf } from '../blob/s3/parts.ts'
import { cutBytes } from '../call/pieces.ts'
import type { GoogleAddress } from './address.ts'
import {
  type Bucket,
  BucketFailure,
  type BucketReason,
  type FilePage,
  failureOf,
  type Level,
  type LevelQuery,
  type ObjectRange,
  probeBy,
  runBucketCall,
  runBucketWrite,
} from './bucket.ts'

/**
 * Opens a bucket of Google Cloud Storage. Its library does not accept the guarded agent. That is safe because it
 * contacts only addresses of Google, and a key file that names others is rejected (`address.ts`).
 */
export function googleBucket(address: GoogleAddress): Bucket {
  const bucket = new Storage(optionsOf(address)).bucket(address.bucket)
  const list = (query: LevelQuery, signal: AbortSignal) =>
    runBucketCall(
      () => orAborted(listLevel(bucket, query), signal),
      (thrown) => reasonOf(thrown, query.token),
    )

  return {
    list,
    files: (query, signal) =>
      runBucketCall(
        () => orAborted(listFiles(bucket, query), signal),
        (thrown) => reasonOf(thrown, query.token),
      ),
    probe: (prefix, signal) => probeBy(() => list({ prefix, size: 1 }, signal)),
    exists: (key, signal) =>
      runBucketCall(async () => (await orAborted(bucket.file(key).exists(), signal))[0], reasonOf),
    read: (key, part, signal) => read(bucket, key, part, signal),
    write: (key, chunks, signal) =>
      runBucketWrite(
        { key, chunks, signal },
        (pieces) => {
          if (isNobody(address)) throw new BucketFailure('forbidden')
          return putParts(bucket, key, pieces, signal)
        },
        reasonOf,
      ),
    canWrite: (signal) => runBucketCall(() => orAborted(mayWrite(bucket), signal), reasonOf),
  }
}

const longestCallMs = 15_000

/** Anonymous credentials. Without them the library would look for credentials of the machine it runs on. */
const nobody = { getRequestHeaders: async () => ({}) } as unknown as StorageOptions['authClient']

function optionsOf({ keyFile, endpoint }: GoogleAddress): StorageOptions {
  return {
    ...(endpoint !== undefined && { apiEndpoint: endpoint }),
    ...(keyFile ? { credentials: keyFile } : { authClient: nobody }),
    retryOptions: { autoRetry: false },
    timeout: longestCallMs,
  }
}

async function listLevel(bucket: GoogleApi, { prefix, token, size }: LevelQuery): Promise<Level> {
  const query = { prefix, delimiter: '/', maxResults: size, pageToken: token, autoPaginate: false }
  const [files, next, answer] = await bucket.getFiles(query)
  const { prefixes = [] } = answer as { prefixes?: string[] }
  const { pageToken = null } = (next ?? {}) as { pageToken?: string }
  return { directories: prefixes, keys: files.map(({ name }) => name), next: pageToken }
}

async function listFiles(
  bucket: GoogleApi,
  { prefix, token, size }: LevelQuery,
): Promise<FilePage> {
  const query = { prefix, maxResults: size, pageToken: token, autoPaginate: false }
  const [files, next] = await bucket.getFiles(query)
  const { pageToken = null } = (next ?? {}) as { pageToken?: string }
  return {
    files: files.map(({ name, metadata }) => ({ key: name, size: Number(metadata.size ?? 0) })),
    next: pageToken,
  }
}

async function* read(
  bucket: GoogleApi,
  key: string,
  { start, end }: ObjectRange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const stream = bucket.file(key).createReadStream({ start, end, validation: false })
  try {
    for await (const piece of untilAborted(stream, signal)) yield* cutBytes(piece)
  } catch (thrown) {
    const { reason } = failureOf(thrown, reasonOf)
    throw new BucketFailure(reason === 'not_found' ? 'no_key' : reason)
  } finally {
    stream.on('error', () => undefined).destroy()
  }
}

/** Returns true for anonymous access, for which the library cannot start uploads. */
const isNobody = ({ keyFile, endpoint }: GoogleAddress) => !keyFile && endpoint === undefined

/**
 * Writes an object, which appears with its last part. The library only starts the upload: its own streams leave a
 * connection open when aborted. The upload address alone authorizes the parts sent to it.
 */
async function putParts(
  bucket: GoogleApi,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const [address] = await orAborted(bucket.file(key).createResumableUpload(), signal)
  const spare: Buffer[] = []
  let sent = 0
  try {
    for await (const { bytes, isLast } of partsOf(chunks, spare)) {
      await sendPart(address, { bytes, isLast, at: sent }, signal)
      sent += bytes.length
      spare.push(bytes)
    }
  } catch (thrown) {
    const given = { method: 'DELETE', signal: AbortSignal.timeout(longestCallMs) }
    await fetch(address, given).catch(() => undefined) // an upload that is not cancelled expires after a week
    throw thrown
  }
}

interface PartOfUpload {
  bytes: Buffer
  isLast: boolean
  /** Bytes before this part. */
  at: number
}

const partTakenStatus = 308
const longestPartMs = 120_000

async function sendPart(
  address: string,
  { bytes, isLast, at }: PartOfUpload,
  signal: AbortSignal,
): Promise<void> {
  const end = at + bytes.length
  const range = bytes.length === 0 ? '*' : `${at}-${end - 1}`
  const answer = await fetch(address, {
    method: 'PUT',
    headers: { 'content-range': `bytes ${range}/${isLast ? end : '*'}` },
    body: bytes,
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(longestPartMs)]),
  })
  await answer.arrayBuffer()
  const isTaken = isLast ? answer.ok : answer.status === partTakenStatus
  if (!isTaken) throw Object.assign(new Error('refused'), { code: answer.status })
}

const creating = 'storage.objects.create'

async function mayWrite(bucket: GoogleApi): Promise<boolean> {
  const [allowed] = await bucket.iam.testPermissions([creating])
  return allowed[creating] === true
}

/**
 * Returns the reason of an error. A rejected access token is reported by
 * the status of the response, other errors by their code.
 */
function reasonOf(thrown: unknown, token?: string): BucketReason {
  if (!(thrown instanceof Error)) return 'unreachable'
  const code = Number(Reflect.get(thrown, 'code') ?? Reflect.get(thrown, 'status'))
  if (code === 401 || code === 403 || isRefusedKey(thrown)) return 'forbidden'
  if (code === 404) return 'not_found'
  return code === 400 && token !== undefined ? 'bad_token' : 'unreachable'
}

/** Returns true if the token endpoint rejected the account or its key. */
const isRefusedKey = (error: Error) => /invalid_grant|invalid_client/.test(error.message)
