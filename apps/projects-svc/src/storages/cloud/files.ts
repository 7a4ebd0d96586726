import type { storages } from '@reticle/contracts/api/storages'
import { type CallContext, DomainError, invalid, notFound, type Service } from '@reticle/kit'
import { type Bucket, BucketFailure, type BucketReason } from '@reticle/kit/bucket/bucket'
import type { CloudStorageRow } from '../../db/schema.ts'
import { bucketOf, toDomainError } from '../buckets/open.ts'
import type { CloudStorageDeps } from './deps.ts'
import { visibleStorage } from './visible.ts'

/**
 * Buckets as the target of exports and the source of imports (`docs/spec/requests.md#exports`). Bytes pass through
 * this service, so that no other service opens credentials. A user who may view a storage may use it.
 */

type Files = 'readStorageFile' | 'writeStorageFile'

export function fileHandlers(deps: CloudStorageDeps): Pick<Service<typeof storages>, Files> {
  return {
    async readStorageFile({ cloud_storage_id, key }, context) {
      const { bucket, about } = await openFile(
        deps,
        { cloud_storage_id, key, way: 'read' },
        context,
      )
      return { head: {}, chunks: withFileErrors(bucket.read(key, {}, context.signal), about) }
    },

    async writeStorageFile({ cloud_storage_id, key, body }, context) {
      const { bucket, about } = await openFile(
        deps,
        { cloud_storage_id, key, way: 'write' },
        context,
      )
      try {
        await bucket.write(key, body, context.signal)
      } catch (thrown) {
        throw fileError(thrown, about)
      }
      return undefined
    },
  }
}

interface FileRequest {
  cloud_storage_id: number
  key: string
  way: 'read' | 'write'
}
type FileContext = Pick<FileRequest, 'key' | 'way'> & { row: CloudStorageRow }

async function openFile(
  deps: CloudStorageDeps,
  { cloud_storage_id, ...request }: FileRequest,
  context: CallContext,
): Promise<{ bucket: Bucket; about: FileContext }> {
  const row = await visibleStorage(deps.db, cloud_storage_id, context)
  const about = { ...request, row }
  try {
    const { bucket, attributes } = await bucketOf(deps.outside, row)
    assertBelow(attributes.prefix, about)
    return { bucket, about }
  } catch (thrown) {
    throw fileError(thrown, about)
  }
}

/** Rejects keys outside the prefix of the storage. */
function assertBelow(prefix: string, { key, way, row }: FileContext): void {
  if (key.startsWith(prefix)) return
  const text = `The keys of the cloud storage "${row.display_name}" begin with "${prefix}".`
  throw way === 'read' ? notFound(text, 'object_missing') : invalid({ filename: text })
}

const done = { read: 'read from', write: 'written to' } as const

/** Converts a failure to an error that names the file, the storage, the fault and a remedy. */
function fileError(thrown: unknown, { key, way, row }: FileContext): unknown {
  if (!(thrown instanceof BucketFailure)) return thrown
  const { kind, message, code, retry_after } = toDomainError(thrown)
  const place = `the cloud storage "${row.display_name}" (${row.resource})`
  const text = `"${key}" could not be ${done[way]} ${place}: ${remedyFor(thrown.reason, way) ?? message}`
  return new DomainError(kind, text, { code, ...(retry_after !== undefined && { retry_after }) })
}

function remedyFor(reason: BucketReason, way: FileRequest['way']): string | undefined {
  if (reason === 'no_key') return 'there is no such file.'
  if (reason === 'forbidden')
    return `its credentials have no right to ${way} there. Give them that right, or choose another storage.`
  return undefined
}

async function* withFileErrors(
  chunks: AsyncIterable<Uint8Array>,
  about: FileContext,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (thrown) {
    throw fileError(thrown, about)
  }
}
