import type { storages } from '@reticle/contracts/api/storages'
import { type BytesAnswer, type CallContext, type Service, signedIn } from '@reticle/kit'
import { BucketFailure } from '@reticle/kit/bucket/bucket'
import { listContent } from '../buckets/content.ts'
import { bucketOf, bucketSignal, toDomainError, withBucketErrors } from '../buckets/open.ts'
import { findImage } from '../buckets/preview.ts'
import { changeCloudStorage, createCloudStorage } from './change.ts'
import type { CloudStorageDeps } from './deps.ts'
import { fileHandlers } from './files.ts'
import { listCloudStorages } from './list.ts'
import { cloudStorageRecord, cloudStorageRecords } from './records.ts'
import { visibleStorage } from './visible.ts'

type Handlers = Omit<
  Service<typeof storages>,
  | 'findDefaultStorages'
  | 'deleteCloudStorage'
  | 'permitSource'
  | 'listSourceFiles'
  | 'readSourceFile'
>

/** Builds the handlers of cloud storages, except deletion, which also changes projects and tasks. */
export function cloudStorageHandlers(deps: CloudStorageDeps): Handlers {
  const { db, outside } = deps
  /** Opens the bucket of a storage that the caller may view. */
  const opened = async (id: number, context: CallContext) => {
    const row = await visibleStorage(db, id, context)
    const { bucket, attributes } = await bucketOf(outside, row)
    return { row, bucket, shown: { prefix: attributes.prefix, manifests: row.manifests } }
  }
  return {
    ...fileHandlers(deps),
    async listCloudStorages(query, context) {
      const { count, results } = await listCloudStorages(db, signedIn(context), query)
      return { count, results: await cloudStorageRecords(db, results) }
    },
    createCloudStorage: (input, context) => createCloudStorage(deps, input, context),
    async getCloudStorage({ id }, context) {
      return cloudStorageRecord(db, await visibleStorage(db, id, context))
    },
    updateCloudStorage: (input, context) => changeCloudStorage(deps, input, context),
    async getCloudStorageStatus({ id }, context) {
      try {
        const { bucket, shown } = await opened(id, context)
        return json(words[await bucket.probe(shown.prefix, bucketSignal(context))])
      } catch (thrown) {
        if (thrown instanceof BucketFailure) return json(words.not_found)
        throw thrown
      }
    },

    async listCloudStorageContent({ id, ...wanted }, context) {
      return withBucketErrors(async () => {
        const { bucket, shown } = await opened(id, context)
        return listContent(bucket, shown, wanted, bucketSignal(context))
      })
    },

    async getCloudStorageActions({ id }, context) {
      return withBucketErrors(async () => {
        const { bucket, shown } = await opened(id, context)
        const signal = bucketSignal(context)
        const mayRead = (await bucket.probe(shown.prefix, signal)) === 'available'
        const mayWrite = mayRead && (await bucket.canWrite(signal))
        return json([...(mayRead ? ['read'] : []), ...(mayWrite ? ['write'] : [])])
      })
    },

    async readPreviewImage({ id }, context) {
      return withBucketErrors(async () => {
        const { bucket, shown } = await opened(id, context)
        const signal = bucketSignal(context)
        const key = await findImage(bucket, shown, signal)
        return { head: {}, chunks: withReadErrors(bucket.read(key, {}, signal)) }
      })
    },
  }
}

const words = { available: 'AVAILABLE', not_found: 'NOT_FOUND', forbidden: 'FORBIDDEN' } as const

/** Returns a JSON value that is not an object as the body of a response. */
function json(value: unknown): BytesAnswer {
  const text = Buffer.from(JSON.stringify(value))
  async function* chunks() {
    yield text
  }
  return { head: {}, chunks: chunks() }
}

async function* withReadErrors(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (thrown) {
    throw thrown instanceof BucketFailure ? toDomainError(thrown) : thrown
  }
}
