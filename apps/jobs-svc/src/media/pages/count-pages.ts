import { type RandomAccess, readAhead } from '@reticle/formats/archive/source'
import { countGifFrames } from './gif-frames.ts'
import { countAvifFrames, countPngFrames, countWebpFrames } from './parts.ts'
import { countTiffPages } from './tiff-pages.ts'

/** Largest count of one file; more pages are reported as this number. */
export const mostPages = 10_000

const counters: Record<string, (source: RandomAccess, most: number) => Promise<number>> = {
  'image/tiff': countTiffPages,
  'image/gif': countGifFrames,
  'image/webp': countWebpFrames,
  'image/png': countPngFrames,
  'image/avif': countAvifFrames,
}

/**
 * Counts pages or animation frames of a picture: 1 for most. Reads headers only; in a damaged file, counts those that
 * are found.
 *
 * @throws errors of reading the source
 */
export async function countPages(source: RandomAccess, media_type: string): Promise<number> {
  const count = counters[media_type]
  return count ? Math.max(1, await count(readAhead(source, blockBytes), mostPages)) : 1
}

const blockBytes = 262_144

/** Counts pages in the first bytes of a file; undefined if these are not enough. */
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
