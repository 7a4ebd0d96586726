import { type RandomAccess, readAhead } from '@reticle/formats/archive/source'
import { countGifFrames } from './gif-frames.ts'
import { countAvifFrames, countPngFrames, countWebpFrames } from './parts.ts'
import { countTiffPages } from './tiff-pages.ts'

/** Pages of one file that are counted: of a file with more this many are reported. */
export const mostPages = 10_000

const counters: Record<string, (source: RandomAccess, most: number) => Promise<number>> = {
  'image/tiff': countTiffPages,
  'image/gif': countGifFrames,
  'image/webp': countWebpFrames,
  'image/png': countPngFrames,
  'image/avif': countAvifFrames,
}

/**
 * Pages or animation frames of a picture: 1 of most. Headers are read and no pixels; a damaged file has as many as are found.
 *
 * @throws what reading the source throws
 */
export async function countPages(source: RandomAccess, media_type: string): Promise<number> {
  const count = counters[media_type]
  return count ? Math.max(1, await count(readAhead(source, blockBytes), mostPages)) : 1
}

const blockBytes = 262_144

/** The same of the first bytes of a file; undefined where these do not tell it. */
export async function countPagesInHead(
  head: Uint8Array,
  size: number,
  media_type: string,
): Promise<number | undefined> {
  const count = counters[media_type]
  if (!count) return 1
  const read = async (start: number, end: number) => {
    if (end > head.length) throw new BehindHead()
    return head.subarray(start, end)
  }
  try {
    return Math.max(1, await count({ size, read }, mostPages))
  } catch (thrown) {
    if (thrown instanceof BehindHead) return undefined
    throw thrown
  }
}

class BehindHead extends Error {}
