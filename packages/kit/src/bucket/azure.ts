import { Readable } from 'node:stream'
import {
  AnonymousCredential,
  ContainerClient,
  newPipeline,
  StorageSharedKeyCredential,
} from '@azure/storage-blob'
import { untilAborted } from '../blob/abort.ts'
import { cutBytes } from '../call/pieces.ts'
import { guardedAgent } from '../outgoing/agent.ts'
import type { AzureAddress } from './address.ts'
import {
  assertKey,
  type Bucket,
  BucketFailure,
  type BucketReason,
  type FilePage,
  failureOf,
  isBlocked,
  type Level,
  type LevelQuery,
  largestAnswer,
  type ObjectRange,
  probeBy,
  runBucketCall,
  runBucketWrite,
} from './bucket.ts'
import type { BucketGuard } from './endpoint.ts'

/** Opens a container of Azure Blob Storage. */
export function azureBucket(address: AzureAddress, guard: BucketGuard): Bucket {
  const { small, large, patient } = clientsOf(address, guard)
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
    exists: (key, signal) =>
      runBucketCall(() => small.getBlobClient(key).exists({ abortSignal: signal }), reasonOf),
    read: (key, part, signal) => read(large, key, part, signal),
    write: (key, chunks, signal) =>
      runBucketWrite(
        { key, chunks, signal },
        (pieces) => putBlocks(patient, key, pieces, signal),
        reasonOf,
      ),
    canWrite: async () => mayWrite(address),
  }
}

/**
 * Creates the clients. Connections of responses that are buffered whole end above a size limit, and writes have a
 * longer timeout than reads.
 */
function clientsOf(address: AzureAddress, guard: BucketGuard) {
  const { url, bucket, sas, sharedKey } = address
  const { protocol } = new URL(url)
  const target = `${url}/${bucket}${sas === undefined ? '' : `?${sas}`}`
  const client = (maxBytes?: number, tryTimeoutInMs = 15_000) => {
    const credential = sharedKey
      ? new StorageSharedKeyCredential(sharedKey.account, sharedKey.key)
      : new AnonymousCredential()
    const agent = guardedAgent(protocol, { ...guard, maxBytes })
    const retryOptions = { maxTries: 2, tryTimeoutInMs, retryDelayInMs: 200 }
    const options = { retryOptions, redirectOptions: { maxRetries: 0 }, agent }
    return new ContainerClient(target, newPipeline(credential, options))
  }
  return { small: client(largestAnswer), large: client(), patient: client(largestAnswer, 120_000) }
}

async function listLevel(
  client: ContainerClient,
  { prefix, token, size }: LevelQuery,
  abortSignal: AbortSignal,
): Promise<Level> {
  const pages = client
    .listBlobsByHierarchy('/', { prefix, abortSignal })
    .byPage({ continuationToken: token, maxPageSize: size })
  const { value } = await pages.next()
  const { blobPrefixes = [], blobItems } = value.segment
  return {
    directories: blobPrefixes.map(({ name }: { name: string }) => name),
    keys: blobItems.map(({ name }: { name: string }) => name),
    next: value.continuationToken || null,
  }
}

async function listFiles(
  client: ContainerClient,
  { prefix, token, size }: LevelQuery,
  abortSignal: AbortSignal,
): Promise<FilePage> {
  const pages = client
    .listBlobsFlat({ prefix, abortSignal })
    .byPage({ continuationToken: token, maxPageSize: size })
  const { value } = await pages.next()
  const items: { name: string; properties: { contentLength?: number } }[] = value.segment.blobItems
  return {
    files: items.map(({ name, properties }) => ({
      key: name,
      size: properties.contentLength ?? 0,
    })),
    next: value.continuationToken || null,
  }
}

async function* read(
  client: ContainerClient,
  key: string,
  { start = 0, end }: ObjectRange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const count = end === undefined ? undefined : end - start + 1
  assertKey(key)
  try {
    const options = { abortSignal: signal, maxRetryRequests: 1 }
    const { readableStreamBody } = await client.getBlobClient(key).download(start, count, options)
    if (!readableStreamBody) return
    for await (const piece of untilAborted(readableStreamBody, signal))
      yield* cutBytes(Buffer.from(piece))
  } catch (thrown) {
    const { reason } = failureOf(thrown, reasonOf)
    throw new BucketFailure(codeOf(thrown) === 'BlobNotFound' ? 'no_key' : reason)
  }
}

/** Size of a block in bytes. Azure accepts 50,000 blocks, which is 390 GiB. */
const blockBytes = 8 * 1024 * 1024
/**
 * With one block at a time, all earlier blocks are stored when the last
 * bytes are read, so the write can be given up until then.
 */
const inFlight = 1

/**
 * Writes the blocks and commits them as a blob. Uncommitted blocks appear in no list; Azure has no call that removes
 * them, and drops them after a week.
 */
async function putBlocks(
  client: ContainerClient,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const blob = client.getBlockBlobClient(key)
  const body = Readable.from(chunks)
  const left = new AbortController()
  const abortSignal = AbortSignal.any([signal, left.signal])
  try {
    await blob.uploadStream(body, blockBytes, inFlight, { abortSignal })
  } finally {
    body.destroy()
    left.abort() // ends blocks that are still being sent after another one failed
  }
}

/** Returns whether writing is allowed. An account key allows everything, and a signature states its permissions. */
function mayWrite({ sharedKey, sas }: AzureAddress): boolean {
  if (sharedKey) return true
  return /[cw]/.test(new URLSearchParams(sas ?? '').get('sp') ?? '')
}

const forbidden = new Set([401, 403])

function reasonOf(thrown: unknown, token?: string): BucketReason {
  if (isBlocked(thrown)) return 'blocked'
  const status = thrown instanceof Error ? Reflect.get(thrown, 'statusCode') : undefined
  if (forbidden.has(status)) return 'forbidden'
  if (codeOf(thrown) === 'PublicAccessNotPermitted') return 'forbidden'
  if (status === 404) return 'not_found'
  return status === 400 && token !== undefined ? 'bad_token' : 'unreachable'
}

const codeOf = (thrown: unknown) =>
  thrown instanceof Error ? String(Reflect.get(thrown, 'code')) : ''
