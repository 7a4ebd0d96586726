import { randomUUID } from 'node:crypto'
import type { storages } from '@reticle/contracts/api/storages'
import type { Context, Service } from '@reticle/kit'
import type { BlobStore, Range } from '@reticle/kit/blob/blob'
import { sourceChanged } from '../media/source-changed.ts'

/**
 * Files that stay in a cloud storage, under keys of the store. A key names the task, not the storage: which one that is may
 * change, and who reads it is found out with every read (`spec/api-workspace.md` 4.7).
 */

/** Keys of our own never hold a colon. */
const mark = 'bucket:'

/**
 * The colon at its end keeps a file from being taken for one that is spread over objects, whatever it is called. Keys without a size are
 * those of media that was prepared by older versions.
 */
export const bucketKey = (task_id: number, path: string, size: number): string =>
  `${mark}${task_id}@${size}:${path}:`

export const isBucketKey = (key: string): boolean => key.startsWith(mark)

interface FileOfBucket {
  task_id: number
  path: string
  /** Bytes that the file had when it was prepared. */
  size?: number
}

function readBucketKey(key: string): FileOfBucket {
  const [, task_id, size, path] = /^bucket:(\d+)(?:@(\d+))?:(.+):$/s.exec(key) ?? []
  if (path === undefined) throw new Error(`${key} is no file of a cloud storage`)
  return { task_id: Number(task_id), path, ...(size !== undefined && { size: Number(size) }) }
}

type Reader = Pick<Service<typeof storages>, 'readSourceFile'>

/** Before the task has media: the storage that these come from, and who may see it. */
export interface Chosen {
  cloud_storage_id: number
  context: Context
}

/**
 * A store that also gives files of cloud storages, in parts and under keys of `bucketKey`; nothing is ever written there.
 *
 * @param chosen absent: of the storage that the media of the task is in
 */
export function withBuckets(blobs: BlobStore, storages: Reader, chosen?: Chosen): BlobStore {
  return {
    ...blobs,
    get: (key, range) =>
      isBucketKey(key)
        ? readPart(storages, readBucketKey(key), range, chosen)
        : blobs.get(key, range),
  }
}

/** Longest for one part, as for every stream between services. */
const longestMs = 600_000

/** Nobody is asking: who may see the frame was found out when it was located. */
const ofNobody = (): Context => ({
  principal: null,
  request_id: randomUUID(),
  deadline: Date.now() + longestMs,
  signal: AbortSignal.timeout(longestMs),
})

async function readPart(
  storages: Reader,
  { task_id, path: key, size }: FileOfBucket,
  range: Range | undefined,
  chosen: Chosen | undefined,
) {
  const { start, end } = range ?? { start: 0 }
  if (end === undefined) throw new Error('files of cloud storages are read in parts')
  const { cloud_storage_id, context = ofNobody() } = chosen ?? {}
  /** One byte behind the last one of the file: there is one only when the file is larger now. */
  const beyond = size !== undefined && end + 1 >= size ? 1 : 0
  const wanted = {
    task_id,
    key,
    start,
    end: end + beyond,
    ...(cloud_storage_id !== undefined && { cloud_storage_id }),
  }
  const { chunks } = await storages.readSourceFile(wanted, context)
  return { size: end + 1, chunks: whole(chunks, key, end - start + 1) }
}

/** Who keeps the bucket may have put another file in place of the one that was there. */
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
