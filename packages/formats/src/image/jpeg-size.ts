/**
 * Reads the displayed size of a JPEG from its first bytes (ITU-T T.81 annex B; EXIF 2.32, 4.6.4 for the orientation).
 * This takes microseconds, where opening a decoder takes hundreds of them.
 */

export interface ImageSize {
  /** Pixels. */
  width: number
  height: number
}

const startOfImage = 0xffd8
const startOfScan = 0xda
const app1 = 0xe1
/** Markers of baseline, extended and progressive frames, which decoders support. */
const frames = [0xc0, 0xc1, 0xc2]

interface Head {
  stored: ImageSize
  orientation: number
}

/**
 * Reads the headers up to the first scan.
 * @param head First bytes of the file.
 * @returns undefined when `head` ends too early or anything is unusual; then the decoder must be used
 */
export function readJpegSize(head: Uint8Array): ImageSize | undefined {
  const read = readHead(head)
  if (!read) return undefined
  const { stored, orientation } = read
  return orientation >= 5 ? { width: stored.height, height: stored.width } : stored
}

/**
 * Reads the orientation, from 1 (upright) to 8.
 * @param head First bytes of the file.
 * @returns undefined in the same cases as for the size
 */
export function readJpegOrientation(head: Uint8Array): number | undefined {
  return readHead(head)?.orientation
}

function readHead(head: Uint8Array): Head | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  try {
    return headOf(view)
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined // read beyond `head`
    throw thrown
  }
}

function headOf(view: DataView): Head | undefined {
  const segments = segmentsOf(view)
  const [frame, second] = segments.filter(({ marker }) => frames.includes(marker))
  const [exif, other] = segments.filter((one) => isExif(view, one))
  if (!frame || second || other) return undefined
  const stored = frameSize(view, frame.at)
  const orientation = exif ? readOrientation(view, exif.at + 6, exif.end) : 1
  return stored && orientation ? { stored, orientation } : undefined
}

interface Segment {
  marker: number
  /** Start and end offset of the content. */
  at: number
  end: number
}

/**
 * Returns the segments before the first scan; an empty list when the scan is not reached or an unusual segment
 * precedes it.
 */
function segmentsOf(view: DataView): Segment[] {
  const segments: Segment[] = []
  let at = view.getUint16(0) === startOfImage ? 2 : view.byteLength
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    if (marker === startOfScan) return segments
    const end = at + 2 + view.getUint16(at + 2)
    if (end < at + 4 || !usual.has(marker)) return []
    segments.push({ marker, at: at + 4, end })
    at = end
  }
  return []
}

/** Usual segments besides frames: Huffman and quantization tables, restart intervals, application data, comments. */
const applications = Array.from({ length: 16 }, (_, index) => 0xe0 + index)
const usual = new Set([...frames, 0xc4, 0xdb, 0xdd, ...applications, 0xfe])

function frameSize(view: DataView, at: number): ImageSize | undefined {
  const [height, width] = [view.getUint16(at + 1), view.getUint16(at + 3)]
  const isUsual = view.getUint8(at) === 8 && [1, 3, 4].includes(view.getUint8(at + 5))
  return isUsual && width > 0 && height > 0 ? { width, height } : undefined
}

const isExif = (view: DataView, { marker, at, end }: Segment) =>
  marker === app1 &&
  end - at >= 6 &&
  view.getUint32(at) === 0x45786966 &&
  view.getUint16(at + 4) === 0

const orientationTag = 0x0112
const short = 3

/**
 * Reads the EXIF orientation.
 * @param at Offset of the TIFF header, to which its offsets are relative.
 * @returns 1 when no orientation is set, undefined for unusual data
 */
function readOrientation(view: DataView, at: number, end: number): number | undefined {
  const order = view.getUint16(at)
  if (order !== 0x4949 && order !== 0x4d4d) return undefined
  const isLittle = order === 0x4949
  if (view.getUint16(at + 2, isLittle) !== 42) return undefined
  const directory = at + view.getUint32(at + 4, isLittle)
  const count = view.getUint16(directory, isLittle)
  if (directory < at + 8 || directory + 2 + count * 12 > end) return undefined
  for (let entry = directory + 2; entry < directory + 2 + count * 12; entry += 12) {
    if (view.getUint16(entry, isLittle) !== orientationTag) continue
    const isPlain =
      view.getUint16(entry + 2, isLittle) === short && view.getUint32(entry + 4, isLittle) === 1
    const value = view.getUint16(entry + 8, isLittle)
    return isPlain && value >= 1 && value <= 8 ? value : undefined
  }
  return 1
}
