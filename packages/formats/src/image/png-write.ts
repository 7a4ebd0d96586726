/** Writes PNG images of labels, compressed with run lengths, which suit their large uniform areas. */
import { constants, crc32, deflateSync } from 'node:zlib'

export interface PaletteEntry {
  /** 0xRRGGBB. */
  color: number
  /** 0 to 255; default 255. */
  alpha?: number
}

/**
 * Encodes an RGB image.
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

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

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
