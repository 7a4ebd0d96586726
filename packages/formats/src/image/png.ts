/**
 * A small PNG codec for images of labels (PNG, third edition). It keeps palettes and 16 bits, which decoders for photos
 * do not, and manages no colours.
 */
import { promisify } from 'node:util'
import { constants, crc32, deflateSync, inflate, inflateSync } from 'node:zlib'
import { type ErrorLocation, FormatError } from '../report/errors.ts'
import { bytesOf, type PngLayout, unpackPixels } from './png-rows.ts'

export interface Png {
  width: number
  height: number
  kind: 'indexed' | 'grey' | 'rgb' | 'rgba'
  /**
   * Row by row, with the samples of a pixel adjacent: 1 (indexed, grey), 3 or 4. Grey of 16 bits is a `Uint16Array`;
   * colours of 16 bits are reduced to 8. Lower depths are not scaled: indexes, or grey values from 0 to 2 ** depth -
   * 1.
   */
  samples: Uint8Array | Uint16Array
  /** Bits of a grey sample; when absent 8, or 16 for a `Uint16Array`. */
  depth?: number
  /** Only for indexed images: 0xRRGGBB by index; it contains every index that occurs. */
  palette?: readonly number[]
  /** Only for indexed images with transparency: 0 to 255 by index; missing entries are 255. */
  alphas?: readonly number[]
}

/** Maximum number of pixels of an image. */
export const pixelsInPicture = 178_956_970

const inflated = promisify(inflate)

/**
 * Decodes a PNG.
 * @throws {FormatError} when the bytes are not a PNG, are damaged or have too many pixels
 */
export async function readPng(bytes: Uint8Array, location: ErrorLocation): Promise<Png> {
  const refuse: Refuse = (reason) =>
    new FormatError(`the PNG picture cannot be read: ${reason}`, location)
  const { layout, palette, alphas, packed } = readChunks(bytes, refuse)
  const rows = await inflateRows(packed, layout, refuse)
  const { width, height } = layout
  const samples = unpackPixels(rows, layout, refuse)
  const kind = kinds[layout.color] ?? 'grey'
  if (kind === 'grey') return { width, height, kind, samples, depth: layout.depth }
  if (kind !== 'indexed') return { width, height, kind, samples }
  if (palette.length < 2 ** layout.depth && highestOf(samples) >= palette.length)
    throw refuse(`it has colours beyond the ${palette.length} of its palette`)
  return { width, height, kind, samples, palette, ...(alphas.length > 0 && { alphas }) }
}

/** Returns the highest sample. A plain loop: a callback for each of millions of samples takes ten times as long. */
function highestOf(samples: Uint8Array | Uint16Array): number {
  let highest = 0
  for (let at = 0; at < samples.length; at += 1) highest = Math.max(highest, samples[at] ?? 0)
  return highest
}

type Refuse = (reason: string) => FormatError

/** Kind of samples by colour type. Grey with alpha becomes colours with three equal components. */
const kinds: Record<number, Png['kind']> = { 2: 'rgb', 3: 'indexed', 4: 'rgba', 6: 'rgba' }

// ---- chunks

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

function readChunks(bytes: Uint8Array, refuse: Refuse) {
  if (!signature.every((byte, at) => bytes[at] === byte)) throw refuse('it is none')
  const parts = new Map<string, Uint8Array[]>()
  for (const { type, data } of chunksOf(bytes, refuse)) {
    if (!known.has(type)) throw refuse(`it has a part '${type}' that is not supported`)
    const others = parts.get(type)
    if (others) others.push(data)
    else parts.set(type, [data])
  }
  const first = (type: string): Uint8Array | undefined => parts.get(type)?.[0]
  const [header, colors] = [first('IHDR'), first('PLTE')]
  if (!header) throw refuse('its header is missing')
  const layout = readHeader(header, refuse)
  if (layout.color === 3 && !colors) throw refuse('its palette is missing')
  const palette = colors ? readPalette(colors, refuse) : []
  const alphas = [...(first('tRNS') ?? [])]
  return { layout, palette, alphas, packed: Buffer.concat(parts.get('IDAT') ?? []) }
}

const known = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT'])

/** Yields the chunks up to the end of the image; chunks that are not needed are skipped without reading. */
function* chunksOf(bytes: Uint8Array, refuse: Refuse) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at)
    const end = at + 8 + length
    if (end + 4 > bytes.length) break
    const type = Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1')
    const isNeeded = /^[A-Z]|^tRNS$/.test(type)
    if (isNeeded && crc32(bytes.subarray(at + 4, end)) !== view.getUint32(end))
      throw refuse(`its part '${type}' has a wrong checksum`)
    if (type === 'IEND') return
    if (isNeeded) yield { type, data: bytes.subarray(at + 8, end) }
    at = end + 4
  }
  throw refuse('it is cut off')
}

/** Valid bits per sample for each colour type (table 12). */
const depths: Record<number, readonly number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}

function readHeader(data: Uint8Array, refuse: Refuse): PngLayout {
  if (data.length !== 13) throw refuse('its header is damaged')
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const [width, height] = [view.getUint32(0), view.getUint32(4)]
  const [depth = 0, color = 0, packing, filter, interlace = 0] = data.subarray(8)
  if (width === 0 || height === 0) throw refuse(`it claims ${width} x ${height} pixels`)
  if (width * height > pixelsInPicture)
    throw refuse(`${width} x ${height} pixels are too many, at most ${pixelsInPicture}`)
  if (!depths[color]?.includes(depth))
    throw refuse(`${depth} bits a sample of colour type ${color} are not supported`)
  if (packing !== 0 || filter !== 0 || interlace > 1)
    throw refuse('it is packed in a way that is not supported')
  return { width, height, depth, color, isInterlaced: interlace === 1 }
}

function readPalette(data: Uint8Array, refuse: Refuse): number[] {
  const count = data.length / 3
  if (!Number.isInteger(count) || count < 1 || count > 256) throw refuse('its palette is damaged')
  return Array.from({ length: count }, (_, index) => {
    const [red = 0, green = 0, blue = 0] = data.subarray(3 * index, 3 * index + 3)
    return (red << 16) | (green << 8) | blue
  })
}

const mib = 1_048_576

/**
 * Inflates the rows. Memory is allocated as data arrives, because a header may declare far more than the file
 * contains. Small images are inflated synchronously, because a thread costs more.
 */
async function inflateRows(packed: Uint8Array, layout: PngLayout, refuse: Refuse) {
  const expected = bytesOf(layout)
  let rows: Uint8Array
  try {
    const options = { maxOutputLength: expected, chunkSize: Math.max(64, Math.min(expected, mib)) }
    rows = expected > mib ? await inflated(packed, options) : inflateSync(packed, options)
  } catch (error) {
    const isTooMuch = error instanceof RangeError
    throw refuse(isTooMuch ? 'it has more pixels than it claims' : 'its pixels do not unpack')
  }
  if (rows.length < expected) throw refuse('it has fewer pixels than it claims')
  return rows
}

// ---- writing

export interface PaletteEntry {
  /** 0xRRGGBB. */
  color: number
  /** 0 to 255; default 255. */
  alpha?: number
}

/**
 * Encodes an RGB image. Run lengths compress the large uniform areas of labels well.
 * @param colors 0xRRGGBB per pixel, row by row
 */
export function writeRgbPng(
  width: number,
  height: number,
  colors: Uint32Array | readonly number[],
): Uint8Array {
  const length = 1 + 3 * width
  const rows = new Uint8Array(height * length)
  for (let y = 0; y < height; y += 1) {
    const start = y * length
    rows[start] = difference
    for (let x = 0, last = 0; x < width; x += 1) {
      const color = colors[y * width + x] ?? 0
      if (color === last) continue
      const to = start + 1 + 3 * x
      rows[to] = (color >> 16) - (last >> 16)
      rows[to + 1] = (color >> 8) - (last >> 8)
      rows[to + 2] = color - last
      last = color
    }
  }
  return picture(rows, { width, height, depth: 8, color: 2 })
}

/**
 * Encodes a grey image of 16 bits.
 * @param values 0 to 65535 per pixel, row by row
 */
export function writeGrey16Png(width: number, height: number, values: Uint16Array): Uint8Array {
  const length = 1 + 2 * width
  const rows = new Uint8Array(height * length)
  for (let y = 0; y < height; y += 1) {
    const start = y * length
    rows[start] = difference
    for (let x = 0, last = 0; x < width; x += 1) {
      const value = values[y * width + x] ?? 0
      if (value === last) continue
      const to = start + 1 + 2 * x
      rows[to] = (value >> 8) - (last >> 8)
      rows[to + 1] = value - last
      last = value
    }
  }
  return picture(rows, { width, height, depth: 16, color: 0 })
}

/**
 * Encodes an indexed image.
 * @param indexes Palette index per pixel, row by row
 */
export function writePalettePng(
  width: number,
  height: number,
  indexes: Uint8Array,
  palette: readonly PaletteEntry[],
): Uint8Array {
  const rows = new Uint8Array(height * (1 + width))
  for (let y = 0; y < height; y += 1)
    rows.set(indexes.subarray(y * width, (y + 1) * width), y * (1 + width) + 1)
  const colors = palette.flatMap(({ color }) => [color >> 16, color >> 8, color])
  const alphas = palette.map(({ alpha = 255 }) => alpha)
  const opaqueFrom = alphas.findLastIndex((alpha) => alpha < 255) + 1
  const before = [chunk('PLTE', Uint8Array.from(colors))]
  if (opaqueFrom > 0) before.push(chunk('tRNS', Uint8Array.from(alphas.slice(0, opaqueFrom))))
  return picture(rows, { width, height, depth: 8, color: 3 }, before)
}

/** Filter that stores differences to the previous pixel: 0 within a run of any colour. */
const difference = 1

interface Header {
  width: number
  height: number
  depth: number
  color: number
}

function picture(rows: Uint8Array, header: Header, before: readonly Uint8Array[] = []): Uint8Array {
  const { width, height, depth, color } = header
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head.set([depth, color], 8)
  const packed = deflateSync(rows, { level: 1, strategy: constants.Z_RLE })
  const chunks = [chunk('IHDR', head), ...before, chunk('IDAT', packed)]
  return Buffer.concat([signature, ...chunks, chunk('IEND', new Uint8Array())])
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(12 + data.length)
  bytes.writeUInt32BE(data.length)
  bytes.write(type, 4, 'latin1')
  bytes.set(data, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}
