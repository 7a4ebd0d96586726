import { readFileSync, writeFileSync } from 'node:fs'

/** Chapter of a clip; times are in seconds. */
export interface ClipChapter {
  start: number
  /**
   * End; by default the start of the next chapter, and for the last one the end of the clip. MP4 and MOV store no ends.
   */
  end?: number
  /** Title; none by default. */
  title?: string
}

/** Adds chapters to a clip, because the library that encodes clips does not support them. */
export function addChapters(path: string, chapters: readonly ClipChapter[]): void {
  const bytes = readFileSync(path)
  const isMatroska = /\.(mkv|webm)$/.test(path)
  if (!isMatroska && !/\.(mp4|mov)$/.test(path)) throw new Error(`no chapters in ${path}`)
  writeFileSync(path, isMatroska ? inMatroska(bytes, chapters) : inMp4(bytes, chapters))
}

/** Returns the option by which the Matroska muxer reserves space before the first cluster, for `addChapters`. */
export const roomForChapters = (chapters: readonly ClipChapter[]) => ({
  reserve_index_space: String(16_384 + elementOf(chapters).length),
})

/**
 * Adds a box `chpl` to the box `moov`, which must be the last one: at
 * most 255 chapters, and titles of at most 255 bytes.
 */
function inMp4(bytes: Buffer, chapters: readonly ClipChapter[]): Buffer {
  const starts = chapters.map(({ start, title = '' }) => {
    const text = Buffer.from(title)
    const head = Buffer.alloc(9)
    head.writeBigUInt64BE(BigInt(Math.round(start * 10_000_000)))
    head.writeUInt8(text.length, 8)
    return Buffer.concat([head, text])
  })
  const head = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, chapters.length])
  const added = box('udta', box('chpl', Buffer.concat([head, ...starts])))
  const changed = Buffer.concat([bytes, added])
  const at = bytes.lastIndexOf('moov') - 4
  const size = bytes.readUInt32BE(at)
  if (at + size !== bytes.length) throw new Error('the index of the clip is not at its end')
  changed.writeUInt32BE(size + added.length, at)
  return changed
}

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, content])
}

const voidId = 0xec
/** Bytes before the content of an element with an id of one byte and a length of eight. */
const voidHead = 9

/**
 * Writes chapters into the space reserved by `roomForChapters`, so that
 * the positions of the following elements do not change.
 */
function inMatroska(bytes: Buffer, chapters: readonly ClipChapter[]): Buffer {
  const added = elementOf(chapters)
  const changed = Buffer.from(bytes)
  const { at, end } = largestVoid(bytes)
  const left = end - at - added.length
  if (left < voidHead) throw new Error('the clip has no room for its chapters')
  added.copy(changed, at)
  const rest = at + added.length
  element([voidId], Buffer.alloc(left - voidHead)).copy(changed, rest)
  return changed
}

const elementOf = (chapters: readonly ClipChapter[]) =>
  element([0x10, 0x43, 0xa7, 0x70], element([0x45, 0xb9], Buffer.concat(chapters.map(atomOf))))

function atomOf({ start, end, title }: ClipChapter, place: number, all: readonly ClipChapter[]) {
  const stop = end ?? all[place + 1]?.start
  return element(
    [0xb6],
    Buffer.concat([
      element([0x73, 0xc4], number(place + 1)),
      element([0x91], nanoseconds(start)),
      ...(stop === undefined ? [] : [element([0x92], nanoseconds(stop))]),
      ...(title === undefined ? [] : [element([0x80], element([0x85], Buffer.from(title)))]),
    ]),
  )
}

const nanoseconds = (seconds: number) => number(Math.round(seconds * 1e9))

function number(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

function element(id: readonly number[], content: Buffer): Buffer {
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(content.length))
  length[0] = 1
  return Buffer.concat([Buffer.from(id), length, content])
}

/** Returns the largest void element between the head of the segment and its first cluster. */
function largestVoid(bytes: Buffer): { at: number; end: number } {
  let found = { at: 0, end: 0 }
  let at = inSegment(bytes)
  while (at < bytes.length) {
    const { id, end } = elementAt(bytes, at)
    if (id === 0x1f43b675) break // the first cluster
    if (id === voidId && end - at > found.end - found.at) found = { at, end }
    at = end
  }
  return found
}

function inSegment(bytes: Buffer): number {
  const { end } = elementAt(bytes, 0)
  return elementAt(bytes, end).body
}

function elementAt(bytes: Buffer, at: number) {
  const idLength = Math.clz32(bytes[at] ?? 0) - 23
  const first = bytes[at + idLength] ?? 0
  const sizeLength = Math.clz32(first) - 23
  let size = first - 2 ** (8 - sizeLength)
  for (const byte of bytes.subarray(at + idLength + 1, at + idLength + sizeLength))
    size = size * 256 + byte
  const body = at + idLength + sizeLength
  return { id: bytes.readUIntBE(at, idLength), body, end: body + size }
}
