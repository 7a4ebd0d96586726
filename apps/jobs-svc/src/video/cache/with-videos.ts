import { type BlobStore, boundsOf, type Range } from '@reticle/kit/blob/blob'
import { cutBytes } from '@reticle/kit/call/pieces'
import { type FrameOfVideo, readFrameKey, readVideoKey } from '../../media/frame-key.ts'
import { undecodable } from '../../media/frames/source.ts'
import { UnusableInput } from '../../work/errors.ts'
import type { Videos } from './videos.ts'

/**
 * Wraps a blob store to also read frames of videos, under keys of `frameKey`, and describe the files of videos, under
 * keys of `videoKey`. These keys are read-only.
 */
export function withVideos(blobs: BlobStore, videos: Pick<Videos, 'picture' | 'stat'>): BlobStore {
  return {
    ...blobs,
    get: (key, range) => {
      const requestedFrame = readFrameKey(key)
      return requestedFrame ? readFrame(videos, requestedFrame, range) : blobs.get(key, range)
    },
    stat: (key) => {
      const index = readVideoKey(key)
      return index === undefined ? blobs.stat(key) : videos.stat(index)
    },
  }
}

async function readFrame(
  videos: Pick<Videos, 'picture'>,
  { index, frame, format }: FrameOfVideo,
  range?: Range,
) {
  const bytes = await videos.picture(index, frame, { format }).catch((thrown: unknown) => {
    throw thrown instanceof UnusableInput ? undecodable(`${thrown.message}.`) : thrown
  })
  const { first, last } = boundsOf(bytes.length, range)
  return { size: bytes.length, chunks: piecesOf(bytes.subarray(first, last + 1)) }
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield* cutBytes(bytes)
}
