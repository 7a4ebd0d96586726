import { crc32 } from 'node:zlib'
import type { ImageSize } from './jpeg-size.ts'

const signature = [0x89504e47, 0x0d0a1a0a] as const
const chunk = { IHDR: 0x49484452, PLTE: 0x504c5445, IDAT: 0x49444154, eXIf: 0x65584966 }

/** Valid bits per sample for each colour type (PNG, third edition, table 12). */
const depths: Record<number, readonly number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}

/**
 * Reads the size of a PNG from its first bytes (PNG, third edition, 11.2.1), up to the start of its pixels.
 * @returns undefined when `head` ends too early or anything is unusual, such as an orientation; then the decoder must
 * be used
 */
export function readPngSize(head: Uint8Array): ImageSize | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  if (head.length < 33 || signature.some((word, index) => view.getUint32(index * 4) !== word))
    return undefined
  if (view.getUint32(8) !== 13 || view.getUint32(12) !== chunk.IHDR) return undefined
  if (crc32(head.subarray(12, 29)) !== view.getUint32(29)) return undefined
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  const [depth = 0, colour = 0, packing, filter, interlace = 0] = head.subarray(24, 29)
  const isUsual = isSide(width) && isSide(height) && packing === 0 && filter === 0 && interlace <= 1
  if (!isUsual || !depths[colour]?.includes(depth)) return undefined
  return isPlain(view, colour === 3) ? { width, height } : undefined
}

/** Returns whether the pixels begin within the available bytes and no earlier chunk changes how they are displayed. */
function isPlain(view: DataView, needsPalette: boolean): boolean {
  let hasPalette = false
  for (let at = 33; at + 8 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const type = view.getUint32(at + 4)
    if (type === chunk.IDAT) return hasPalette || !needsPalette
    if (type === chunk.eXIf) return false
    if (type === chunk.PLTE) hasPalette = true
  }
  return false
}

const isSide = (pixels: number) => pixels > 0 && pixels < 2 ** 31
