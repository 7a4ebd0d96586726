import { randomUUID } from 'node:crypto'
import type { storages } from '@reticle/contracts/api/storages'
import type { CallContext, Service } from '@reticle/kit'
import type { BlobStore, Range } from '@reticle/kit/blob/blob'
import { sourceChanged } from './source-changed.ts'

/**
 * Files that stay in a cloud storage, under keys of the blob store. A key names the task instead of the storage,
 * because the storage may change; permissions are checked at every read.
 */

/** Prefix that no stored key has, because these contain no colon. */
const mark = 'bucket:'

/**
 * Returns the key of a file. The final colon distinguishes it from keys of files in several objects, for any name.
 * Older versions wrote keys without a size.
 */
export const bucketKey = (task_id: number, path: string, size: number): string =>
  `${mark}${task_id}@${size}:${path}:`

export const isBucketKey = (key: string): boolean => key.startsWith(mark)

interface FileOfBucket {
  task_id: number
  path: string
  /** Size in bytes when the file was prepared. */
  size?: number
}

function readBucketKey(key: string): FileOfBucket {
  const [, task_id, size, path] = /^bucket:(\d+)(?:@(\d+))?:(.+):$/s.exec(key) ?? []
  if (path === undefined) throw new Error(`${key} is not the key of a cloud storage file`)
  return { task_id: Number(task_id), path, ...(size !== undefined && { size: Number(size) }) }
}

type Reader = Pick<Service<typeof storages>, 'readSourceFile'>

/** Storage of the files and its reader, before the task has media. */
export interface ChosenStorage {
  cloud_storage_id: number
  context: CallContext
}

/**
 * Wraps a blob store to also read files of cloud storages, in parts and under keys of `bucketKey`. These keys are
 * read-only.
 *
 * @param chosen absent: the storage of the task's media
 */
export function withBuckets(blobs: BlobStore, storages: Reader, chosen?: ChosenStorage): BlobStore {
  return {
    ...blobs,
    get: (key, range) =>
      isBucketKey(key)
        ? readPart(storages, readBucketKey(key), range, chosen)
        : blobs.get(key, range),
  }
}

/** Time limit for one part, as for every stream between services. */
const longestMs = 600_000

/** Context without a user: the permission for the frame was checked when it was located. */
const anonymousContext = (): CallContext => ({
  principal: null,
  request_id: randomUUID(),
  deadline: Date.now() + longestMs,
  signal: AbortSignal.timeout(longestMs),
})

async function readPart(
  storages: Reader,
  { task_id, path: key, size }: FileOfBucket,
  range: Range | undefined,
  chosen: ChosenStorage | undefined,
) {
  const { start, end } = range ?? { start: 0 }
  if (end === undefined) throw new Error('a file of a cloud storage must be read with an end')
  const { cloud_storage_id, context = anonymousContext() } = chosen ?? {}
  /** One byte beyond the end, which exists only if the file has grown. */
  const beyond = size !== undefined && end + 1 >= size ? 1 : 0
  const query = {
    task_id,
    key,
    start,
    end: end + beyond,
    ...(cloud_storage_id !== undefined && { cloud_storage_id }),
  }
  const { chunks } = await storages.readSourceFile(query, context)
  return { size: end + 1, chunks: whole(chunks, key, end - start + 1) }
}

/** Checks the length, because the owner of the bucket may have replaced the file. */
async function* whole(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  length: number,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > length) throw sourceChanged(path, 'cloud storage')
    yield chunk
  }
  if (size !== length) throw sourceChanged(path, 'cloud storage')
}
