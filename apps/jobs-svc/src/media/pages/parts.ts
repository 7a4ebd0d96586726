import type { RandomAccess } from '@reticle/formats/archive/source'

/** Part of a file that starts with its kind and length. */
interface Part {
  kind: string
  /** Start of its content. */
  start: number
  end: number
}

/** Limit of parts that are read of one file; pictures without animation have few. */
const mostParts = 100_000

/** Counts the frames of a WebP by its ANMF chunks, if its header has the animation flag (RFC 9649 2.7.1). */
export async function countWebpFrames(source: RandomAccess, most: number): Promise<number> {
  if (source.size < 21) return 0
  const head = await source.read(0, 21)
  const isAnimated = textOf(head, 12) === 'VP8X' && ((head[20] ?? 0) & 2) !== 0
  if (!isAnimated) return 1
  return countParts(webpChunks(source, 12), 'ANMF', most)
}

/** Counts the frames of a PNG by its fcTL chunks, if an acTL chunk precedes the pixels (PNG 3rd edition 11.3.6). */
export async function countPngFrames(source: RandomAccess, most: number): Promise<number> {
  for await (const { kind } of pngChunks(source)) {
    if (kind === 'IDAT') return 1
    if (kind === 'acTL') return countParts(pngChunks(source), 'fcTL', most)
  }
  return 1
}

/** Counts the pictures of an AVIF sequence by the samples of its longest track (ISO/IEC 14496-12 8.7.3). */
export async function countAvifFrames(source: RandomAccess, most: number): Promise<number> {
  if (source.size < 12 || textOf(await source.read(0, 12), 8) !== 'avis') return 1
  let longest = 0
  for await (const track of inside(source, ['moov', 'trak'], { start: 0, end: source.size }))
    for await (const sizes of inside(source, ['mdia', 'minf', 'stbl', 'stsz'], track)) {
      if (sizes.end - sizes.start < 12) continue
      const [, , count = 0] = numbers(await source.read(sizes.start, sizes.start + 12))
      longest = Math.max(longest, count)
    }
  return Math.min(most, longest)
}

async function countParts(parts: AsyncIterable<Part>, kind: string, most: number): Promise<number> {
  let count = 0
  for await (const part of parts) {
    if (part.kind === kind) count += 1
    if (count === most) break
  }
  return count
}

async function* webpChunks(source: RandomAccess, from: number): AsyncGenerator<Part> {
  let at = from
  for (let parts = 0; at + 8 <= source.size && parts < mostParts; parts += 1) {
    const head = await source.read(at, at + 8)
    const end = at + 8 + Buffer.from(head).readUInt32LE(4)
    yield { kind: textOf(head, 0), start: at + 8, end }
    at = end + (end % 2)
  }
}

async function* pngChunks(source: RandomAccess): AsyncGenerator<Part> {
  let at = 8
  for (let parts = 0; at + 8 <= source.size && parts < mostParts; parts += 1) {
    const head = await source.read(at, at + 8)
    const [length = 0] = numbers(head)
    yield { kind: textOf(head, 4), start: at + 8, end: at + 8 + length }
    at += 12 + length
  }
}

/** Yields the boxes at the end of a path of kinds. */
async function* inside(
  source: RandomAccess,
  [kind, ...further]: readonly string[],
  within: Pick<Part, 'start' | 'end'>,
): AsyncGenerator<Part> {
  for await (const box of boxes(source, within)) {
    if (box.kind !== kind) continue
    if (further.length > 0) yield* inside(source, further, box)
    else yield box
  }
}

/** Yields boxes; stops at a 64-bit length, which no picture has before its tracks. */
async function* boxes(
  source: RandomAccess,
  { start, end }: Pick<Part, 'start' | 'end'>,
): AsyncGenerator<Part> {
  let at = start
  for (let parts = 0; at + 8 <= Math.min(end, source.size) && parts < 1000; parts += 1) {
    const head = await source.read(at, at + 8)
    const [length = 0] = numbers(head)
    if (length < 8) return
    yield { kind: textOf(head, 4), start: at + 8, end: Math.min(end, source.size, at + length) }
    at += length
  }
}

const textOf = (bytes: Uint8Array, at: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', at, at + 4)

/** Reads numbers of four bytes, big-endian. */
function numbers(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.byteLength >> 2 }, (_, place) => view.getUint32(place * 4))
}
