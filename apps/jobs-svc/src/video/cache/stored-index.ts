import type { BlobStore } from '@reticle/kit/blob/blob'
import { cutBytes } from '@reticle/kit/call/pieces'
import { z } from 'zod'
import { gatherBytes } from '../../storage/stored-file.ts'
import type { VideoIndex } from '../decoder.ts'
import { BrokenIndex, decodeIndex, encodeIndex } from '../index-bytes.ts'
import type { StoredVideo } from './videos.ts'

/** Stored index of a video: a line of JSON with the place of the video, then the index. */
export interface StoredIndex {
  video: StoredVideo
  index: VideoIndex
}

const storedVideo = z.object({ key: z.string(), size: z.int(), name: z.string() })

/**
 * Stores an index.
 *
 * @returns bytes of the object
 */
export async function storeIndex(
  blobs: Pick<BlobStore, 'put'>,
  key: string,
  { video, index }: StoredIndex,
): Promise<number> {
  const line = `${JSON.stringify(storedVideo.parse(video))}\n`
  const bytes = Buffer.concat([Buffer.from(line), encodeIndex(index)])
  const { size } = await blobs.put(key, pieces(bytes))
  return size
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield* cutBytes(bytes)
}

/**
 * Reads a stored index.
 *
 * @throws DomainError not_found; BrokenIndex for another object
 */
export async function readIndex(blobs: Pick<BlobStore, 'get'>, key: string): Promise<StoredIndex> {
  const { chunks } = await blobs.get(key)
  const bytes = await gatherBytes(chunks)
  const end = bytes.indexOf('\n')
  if (end < 0) throw new BrokenIndex('this object is no index of a video')
  const video = storedVideo.parse(JSON.parse(bytes.toString('utf8', 0, end)))
  return { video, index: decodeIndex(bytes.subarray(end + 1)) }
}

/** Number of indexes kept in memory. */
const mostIndexes = 8

/** Creates a reader of video indexes by the keys of their objects, with a cache of the most recently used ones. */
export function openIndexes(blobs: Pick<BlobStore, 'get'>): (key: string) => Promise<StoredIndex> {
  const indexes = new Map<string, Promise<StoredIndex>>()
  return (key) => {
    const known = indexes.get(key) ?? readIndex(blobs, key)
    known.catch(() => indexes.delete(key))
    indexes.delete(key)
    indexes.set(key, known)
    const [oldest] = indexes.keys()
    if (indexes.size > mostIndexes && oldest !== undefined) indexes.delete(oldest)
    return known
  }
}
