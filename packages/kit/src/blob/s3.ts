import type { BucketItem, Client } from 'minio'
import { unavailable } from '../call/errors.ts'
import { formatAttachment } from '../net/content-disposition.ts'
import { type BlobInfo, type BlobStore, checkKey, checkPrefix } from './blob.ts'
import { makeBucket, type S3, type S3Options, type StoreCall, s3Client } from './s3/client.ts'
import { codeOf, isAway } from './s3/errors.ts'
import { getObject } from './s3/get.ts'
import { putInSteps, putObject } from './s3/put.ts'

export type { S3Options } from './s3/client.ts'

/**
 * Opens a store of objects in a bucket of MinIO or another S3, creating the bucket if it is missing. A store that
 * cannot be reached does not prevent the start: its calls are `unavailable` until it returns.
 * @throws Error if the endpoint is not an address, or the store rejects the credentials or the bucket
 */
export async function s3Blobs(options: S3Options): Promise<BlobStore> {
  const s3 = s3Client(options)
  const { call, bucket } = s3
  await openBucket(s3, options)
  const writing = makingBucket(s3)

  return {
    put: async (key, chunks, options) => {
      checkKey(key)
      return putObject(writing, key, chunks, options)
    },
    putInSteps: async (key, chunks, steps) => {
      checkKey(key)
      return putInSteps(writing, key, chunks, steps)
    },
    abandon: async (key) => {
      checkKey(key)
      await abortUploads(s3, (upload) => upload.key === key, key)
    },
    get: async (key, range) => {
      checkKey(key)
      return getObject(s3, key, range)
    },
    stat: async (key) => {
      checkKey(key)
      const found = await call((client) => client.statObject(bucket, key), { key })
      return infoOf({ ...found, name: key })
    },
    remove: async (key) => {
      checkKey(key)
      await call((client) => client.removeObject(bucket, key))
    },
    removePrefix: async (prefix) => {
      checkPrefix(prefix)
      return removePrefix(s3, prefix)
    },
    list: (prefix) => {
      checkPrefix(prefix)
      return list(s3, prefix)
    },
    removeUnfinished: (before) => abortUploads(s3, ({ initiated }) => initiated < before),
    presign: async (key, { seconds, type, filename }) => {
      checkKey(key)
      return call((client) =>
        client.presignedGetObject(bucket, key, seconds, {
          'response-content-type': type,
          'response-content-disposition': formatAttachment(filename),
        }),
      )
    },
  }
}

async function openBucket({ call, bucket }: S3, { endpoint }: S3Options): Promise<void> {
  try {
    await call(async (client) => {
      if (!(await client.bucketExists(bucket))) await makeBucket(client, bucket)
    })
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.cause : thrown
    if (isAway(reason)) return
    const text = [codeOf(reason), reason instanceof Error ? reason.message : reason].join(' ')
    throw new Error(`the bucket "${bucket}" cannot be used at ${endpoint}: ${text}`)
  }
}

/** Adds creation of the bucket to each call, because an unreachable store at the start left it missing. */
const makingBucket = ({ call, bucket, ...s3 }: S3): S3 => ({
  ...s3,
  bucket,
  call: (run, limits) => call((client) => intoBucket(client, bucket, () => run(client)), limits),
})

async function intoBucket<T>(client: Client, bucket: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (thrown) {
    if (codeOf(thrown) !== 'NoSuchBucket') throw thrown
    await makeBucket(client, bucket)
    return write()
  }
}

async function* list({ call, bucket }: S3, prefix: string): AsyncGenerator<BlobInfo> {
  for await (const page of pages(call, bucket, prefix)) yield* page
}

/** Lists objects ordered by key, up to a thousand a page. */
async function* pages(call: StoreCall, bucket: string, prefix: string): AsyncGenerator<BlobInfo[]> {
  let token = ''
  for (;;) {
    const { objects, isTruncated, nextContinuationToken } = await call((client) =>
      client.listObjectsV2Query(bucket, prefix, token, '', 1000, ''),
    )
    yield objects.flatMap((object) => (object.name === undefined ? [] : [infoOf(object)]))
    if (!isTruncated) return
    token = String(nextContinuationToken) // the client parses a token of digits only as a number
  }
}

async function removePrefix({ call, bucket }: S3, prefix: string): Promise<number> {
  let removed = 0
  for await (const page of pages(call, bucket, prefix)) {
    const keys = page.map(({ key }) => key)
    if (keys.length === 0) continue
    const refused = await call((client) => client.removeObjects(bucket, keys))
    if (refused.length > 0)
      throw unavailable(`The object storage did not remove ${refused.length} objects.`)
    removed += keys.length
  }
  return removed
}

/**
 * Aborts multipart uploads of the whole bucket or of one key. MinIO lists none for a prefix, and rejects a lifecycle
 * rule that would abort them.
 */
async function abortUploads(
  { call, bucket }: S3,
  isOver: (upload: { key: string; initiated: Date }) => boolean,
  prefix = '',
): Promise<number> {
  let removed = 0
  let after = { key: '', id: '' }
  for (;;) {
    const page = await call((client) =>
      client.listIncompleteUploadsQuery(bucket, prefix, after.key, after.id, ''),
    )
    for (const upload of page.uploads.filter(isOver)) {
      const { key, uploadId } = upload
      await call((client) => client.abortMultipartUpload(bucket, key, uploadId).catch(unlessGone))
      removed++
    }
    if (!page.isTruncated) return removed
    after = { key: page.nextKeyMarker, id: page.nextUploadIdMarker }
  }
}

function unlessGone(thrown: unknown): void {
  if (codeOf(thrown) !== 'NoSuchUpload') throw thrown
}

type Found = Pick<Extract<BucketItem, { name: string }>, 'name' | 'size' | 'etag' | 'lastModified'>

const infoOf = ({ name, size, etag, lastModified }: Found): BlobInfo => ({
  key: name,
  size,
  etag,
  modified_date: lastModified,
})
