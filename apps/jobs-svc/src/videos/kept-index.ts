import type { BlobStore } from '@reticle/kit/blob/blob'
import { cutBytes } from '@reticle/kit/pieces'
import { z } from 'zod'
import { gather } from '../media/packed.ts'
import type { VideoIndex } from '../video/decoder.ts'
import { BrokenIndex, decodeIndex, encodeIndex } from '../video/index-bytes.ts'
import type { StoredVideo } from './videos.ts'

/** What is kept of a video beside it: where it lies, in a line of JSON, and its index. */
export interface KeptIndex {
  video: StoredVideo
  index: VideoIndex
}

const about = z.object({ key: z.string(), size: z.int(), name: z.string() })

/** @returns bytes of the object */
export async function keepIndex(
  blobs: Pick<BlobStore, 'put'>,
  key: string,
  { video, index }: KeptIndex,
): Promise<number> {
  const line = `${JSON.stringify(about.parse(video))}\n`
  const bytes = Buffer.concat([Buffer.from(line), encodeIndex(index)])
  const { size } = await blobs.put(key, pieces(bytes))
  return size
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield* cutBytes(bytes)
}

/** @throws DomainError not_found; BrokenIndex for another object */
export async function readIndex(blobs: Pick<BlobStore, 'get'>, key: string): Promise<KeptIndex> {
  const { chunks } = await blobs.get(key)
  const bytes = await gather(chunks)
  const end = bytes.indexOf('\n')
  if (end < 0) throw new BrokenIndex('this object is no index of a video')
  const video = about.parse(JSON.parse(bytes.toString('utf8', 0, end)))
  return { video, index: decodeIndex(bytes.subarray(end + 1)) }
}
