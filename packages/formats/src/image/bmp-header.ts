/** Reads the header of a bitmap: the file header and one of the many info headers that may follow it. */
import { FormatError } from '../report/errors.ts'

export interface ChannelMasks {
  red: number
  green: number
  blue: number
  /** 0 when the bitmap has no alpha channel. */
  alpha: number
}

export interface BmpHeader {
  width: number
  height: number
  isTopDown: boolean
  /** Bits per pixel. */
  depth: 1 | 2 | 4 | 8 | 16 | 24 | 32
  /** True for run lengths of 4 or 8 bits. */
  isPacked: boolean
  masks?: ChannelMasks
  palette: { start: number; count: number; entryBytes: 3 | 4 }
  /** Offset of the first pixel byte. */
  start: number
}

const depths = [1, 2, 4, 8, 16, 24, 32] as const
const largestSide = 1_000_000

const no = (reason: string): FormatError => new FormatError(`bitmap cannot be read: ${reason}`)

const isHeaderSize = (size: number): boolean => size === 12 || (size >= 16 && size <= 124)

/** Returns whether the first bytes are those of a bitmap. Text that starts with the same two letters is not. */
export function isBitmap(head: Uint8Array): boolean {
  if (head.length < 26 || head[0] !== 0x42 || head[1] !== 0x4d) return false
  return isHeaderSize(new DataView(head.buffer, head.byteOffset).getUint32(14, true))
}

/**
 * Reads the headers.
 * @throws {FormatError} when the bytes are not a bitmap, or a bitmap of an unsupported kind
 */
export function readBmpHeader(bytes: Uint8Array): BmpHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!isBitmap(bytes)) throw no('it has no header')
  const size = view.getUint32(14, true)
  if (bytes.length < 14 + size) throw no('its header is cut off')
  const header = size === 12 ? readCore(view) : readInfo(view, size)
  const { width, height } = header
  if (width < 1 || height < 1 || width > largestSide || height > largestSide)
    throw no(`it claims ${width} x ${height} pixels`)
  return { ...header, start: startOf(view, header) }
}

type Read = Omit<BmpHeader, 'start'>

function depthOf(bits: number): BmpHeader['depth'] {
  const depth = depths.find((one) => one === bits)
  if (!depth) throw no(`${bits} bits a pixel are not supported`)
  return depth
}

/** Reads an OS/2 1 header: sides of 16 bits, colours of three bytes. */
function readCore(view: DataView): Read {
  const depth = depthOf(view.getUint16(24, true))
  if (depth === 16 || depth === 32) throw no(`${depth} bits a pixel are not supported`)
  return {
    width: view.getUint16(18, true),
    height: view.getUint16(20, true),
    isTopDown: false,
    depth,
    isPacked: false,
    palette: { start: 26, count: depth <= 8 ? 2 ** depth : 0, entryBytes: 3 },
  }
}

/** Values of `compression` in the header. */
const plain = 0
const packed8 = 1
const packed4 = 2
const fields = 3
const fieldsWithAlpha = 6

/** Reads a header of Windows 3 and later, or of OS/2 2, which may stop after 16 bytes. */
function readInfo(view: DataView, size: number): Read {
  const at32 = (at: number): number => (at + 4 <= size ? view.getUint32(14 + at, true) : 0)
  const signedHeight = view.getInt32(22, true)
  const depth = depthOf(view.getUint16(28, true))
  const compression = at32(16)
  const isPacked = compression === packed8 || compression === packed4
  assertKind({ depth, compression, size, isTopDown: signedHeight < 0 })
  const isMasked = compression === fields || compression === fieldsWithAlpha
  // Masks follow the header when they are not part of it.
  const masksBehind = isMasked && size < 52 ? (compression === fieldsWithAlpha ? 16 : 12) : 0
  const masks = masksOf(view, { depth, compression, size })
  const most = depth <= 8 ? 2 ** depth : 0
  const count = Math.min(at32(32) || most, most)
  return {
    width: view.getInt32(18, true),
    height: Math.abs(signedHeight),
    isTopDown: signedHeight < 0,
    depth,
    isPacked,
    ...(masks && { masks }),
    palette: { start: 14 + size + masksBehind, count, entryBytes: 4 },
  }
}

interface Kind {
  depth: number
  compression: number
  size: number
}

function assertKind({ depth, compression, size, isTopDown }: Kind & { isTopDown: boolean }): void {
  const isKnown =
    compression === plain ||
    (compression === packed8 && depth === 8) ||
    (compression === packed4 && depth === 4) ||
    // In an OS/2 2 header the same numbers mean fax and another compression.
    (compression === fields && (depth === 16 || depth === 32) && size !== 64) ||
    (compression === fieldsWithAlpha && (depth === 16 || depth === 32))
  if (!isKnown) throw no(`compression ${compression} with ${depth} bits is not supported`)
  if (isTopDown && (compression === packed8 || compression === packed4))
    throw no('packed rows cannot begin at the top')
}

/** Returns the masks of pixels that are not simply three bytes. */
function masksOf(view: DataView, { depth, compression, size }: Kind): ChannelMasks | undefined {
  if (depth === 16 && compression === plain)
    return { red: 0x7c00, green: 0x03e0, blue: 0x001f, alpha: 0 }
  if (compression !== fields && compression !== fieldsWithAlpha) return undefined
  const at = (index: number): number => {
    const offset = 54 + 4 * index
    if (offset + 4 > view.byteLength) throw no('its masks are cut off')
    return view.getUint32(offset, true)
  }
  const hasAlpha = size >= 56 || compression === fieldsWithAlpha
  const masks = { red: at(0), green: at(1), blue: at(2), alpha: hasAlpha ? at(3) : 0 }
  const all = Object.values(masks)
  if (!all.every(isRun) || all.slice(0, 3).some((mask) => mask === 0))
    throw no('its masks are not runs of bits')
  return masks
}

/** Returns whether all set bits of a mask are adjacent. */
function isRun(mask: number): boolean {
  if (mask === 0) return true
  const shifted = mask >>> (31 - Math.clz32(mask & -mask))
  return (shifted & (shifted + 1)) === 0
}

/**
 * Returns the offset of the pixels as declared in the file, or the end of the headers if the declared offset is
 * invalid.
 */
function startOf(view: DataView, { palette: { start, count, entryBytes } }: Read): number {
  const claimed = view.getUint32(10, true)
  return claimed >= 26 && claimed < view.byteLength ? claimed : start + count * entryBytes
}
