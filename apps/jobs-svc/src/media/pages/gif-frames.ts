import type { RandomAccess } from '@reticle/formats/archive/source'

const extension = 0x21
const picture = 0x2c
const windowBytes = 65_536

/** Counts the frames of a GIF by its picture blocks (GIF89a), skipping their data. */
export async function countGifFrames(source: RandomAccess, most: number): Promise<number> {
  const byteAt = openBytes(source)
  let at = 13 + tableBytes(await byteAt(10))
  for (let frames = 0; ; ) {
    const block = await byteAt(at)
    if (block === picture) {
      frames += 1
      if (frames === most) return frames
      const start = at + 10 + tableBytes(await byteAt(at + 9)) + 1
      at = await skipData(byteAt, start)
    } else if (block === extension) at = await skipData(byteAt, at + 2)
    else return frames
  }
}

/** Returns the bytes of the colour table that a byte of flags announces. */
const tableBytes = (flags = 0) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))

type ByteAt = (at: number) => Promise<number | undefined>

/**
 * Skips the data of a block.
 *
 * @returns position after the block
 */
async function skipData(byteAt: ByteAt, start: number): Promise<number> {
  let at = start
  for (;;) {
    const length = await byteAt(at)
    at += 1 + (length ?? 0)
    if (!length) return at
  }
}

/** Creates a reader of single bytes; undefined after the end. */
function openBytes(source: RandomAccess): ByteAt {
  let start = 0
  let bytes: Uint8Array = new Uint8Array()
  return async (at) => {
    if (at >= source.size) return undefined
    if (at < start || at >= start + bytes.length) {
      bytes = await source.read(at, Math.min(source.size, at + windowBytes))
      start = at
    }
    return bytes[at - start]
  }
}
