import sharp, { type Metadata, type Sharp } from 'sharp'

/**
 * Pictures with more than eight bits per channel rarely use all values of their type: those of 10 or 12-bit cameras,
 * thermal cameras and floats from 0 to 1 would look black or white. They are displayed with the range that they use;
 * pictures of eight bits are unchanged.
 */

/** Values of the darkest and the lightest pixels that are displayed. */
interface Range {
  low: number
  high: number
}

/** Value of white by colour space; pictures of other colour spaces are not stretched. */
const whites: Record<string, number> = {
  'b-w': 255,
  multiband: 255,
  srgb: 255,
  rgb: 255,
  grey16: 65_535,
  rgb16: 65_535,
}

/** Largest value by type, for pictures whose pixels are all equal: 0 is black and this value white. */
const fullRanges: Record<string, number> = {
  char: 127,
  short: 32_767,
  ushort: 65_535,
  int: 2 ** 31 - 1,
  uint: 2 ** 32 - 1,
  float: 1,
  double: 1,
}

/** Returns whether the first bytes are those of a format that may have more than eight bits per channel. */
export function mayBeDeep(bytes: Uint8Array): boolean {
  const [first, second] = bytes
  if (first === 0x89) return bytes[24] === 16 // PNG: bits per channel, in the first chunk
  const isTiff = (first === 0x49 && second === 0x49) || (first === 0x4d && second === 0x4d)
  const isAvif = first === 0 && String.fromCharCode(...bytes.subarray(4, 8)) === 'ftyp'
  return isTiff || isAvif
}

/**
 * Stretches the range that a picture uses to that between black and white.
 *
 * @param open opens the picture, which is read a second time for the range
 */
export async function withUsedRange(open: () => Sharp, seconds: number): Promise<Sharp> {
  const metadata = await open().metadata()
  const { space = '', depth = 'uchar' } = metadata
  if (space === 'scrgb') return withLinearColours(open, metadata, seconds)
  const white = whites[space]
  const full = fullRanges[depth]
  if (white === undefined || full === undefined) return open()
  const scale = await findScale(open, metadata, seconds)
  const read = (most: number) => readValues(open, metadata, { most, scale, seconds })
  const range = await findRange(read, full)
  return range ? stretch(open(), range, white) : open()
}

function stretch(image: Sharp, { low, high }: Range, white: number): Sharp {
  const factor = white / (high - low)
  return image.linear(factor, -low * factor)
}

/** Share of pixels at each end that is ignored, because they may be broken pixels of a sensor. */
const ignoredShare = 0.001
/** Number of pixels in the first sample: more do not change the range of usual pictures. */
const mostSampled = 2 ** 17
/** Number of pixels that are compared when nearly all are equal. */
const mostCompared = 2 ** 24

/**
 * Finds the range that pixels use; undefined when all are NaN.
 *
 * @param read returns values of at most that number of pixels
 * @param full the largest value of the type
 */
async function findRange(
  read: (most: number) => Promise<Float32Array>,
  full: number,
): Promise<Range | undefined> {
  const values = (await read(mostSampled)).sort()
  const cut = Math.floor(values.length * ignoredShare)
  const [low, high] = [values[cut], values[values.length - 1 - cut]]
  if (low === undefined || high === undefined) return undefined
  if (high > low) return { low, high }
  const extremes = extremesOf(await read(mostCompared))
  if (extremes.high > extremes.low) return extremes
  return { low: Math.min(0, low), high: Math.max(full, high) }
}

function extremesOf(values: Float32Array): Range {
  const range = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY }
  for (const value of values) {
    range.low = Math.min(range.low, value)
    range.high = Math.max(range.high, value)
  }
  return range
}

/** Scale to unsigned 16-bit values. */
interface Scale {
  factor: number
  offset: number
}

/**
 * Finds the scale for signed and floating values: the library reads every picture of 16 bits as unsigned numbers.
 * Undefined: none is needed.
 */
async function findScale(
  open: () => Sharp,
  { depth, space = 'srgb' }: Metadata,
  seconds: number,
): Promise<Scale | undefined> {
  if (whites[space] !== 65_535) return undefined
  if (depth === 'short') return { factor: 1, offset: 32_768 }
  if (depth !== 'float') return undefined
  const { channels } = await open().timeout({ seconds }).stats()
  const [{ mean, stdev } = { mean: 0, stdev: 0 }] = channels
  const [low, width] = stdev > 0 ? [mean - 4 * stdev, 8 * stdev] : [Math.min(0, mean || 0), 1]
  return { factor: 65_535 / width, offset: (-low * 65_535) / width }
}

interface Reading {
  /** Number of pixels. */
  most: number
  scale: Scale | undefined
  seconds: number
}

/** Reads values of pixels that are spread over the picture. */
async function readValues(
  open: () => Sharp,
  { width, height, space = 'srgb' }: Metadata,
  { most, scale, seconds }: Reading,
): Promise<Float32Array> {
  const share = Math.min(1, Math.sqrt(most / (width * height)))
  const size = (side: number) => Math.max(1, Math.floor(side * share))
  const small = open().resize(size(width), size(height), { kernel: 'nearest', fit: 'fill' })
  const { data, info } = await (scale ? small.linear(scale.factor, scale.offset) : small)
    .toColourspace(space)
    .raw({ depth: 'float' })
    .timeout({ seconds })
    .toBuffer({ resolveWithObject: true })
  const values = finiteColours(numbersOf(data), info.channels, 1)
  return scale ? values.map((value) => (value - scale.offset) / scale.factor) : values
}

const numbersOf = ({ buffer, byteOffset, length }: Buffer) =>
  new Float32Array(buffer, byteOffset, length / 4)

/** Returns finite colour values of every `step`-th pixel, without invisible pixels. */
function finiteColours(numbers: Float32Array, channels: number, step: number): Float32Array {
  const hasAlpha = channels === 2 || channels === 4
  const colours = hasAlpha ? channels - 1 : channels
  const found = new Float32Array(Math.ceil(numbers.length / channels / step) * colours)
  let count = 0
  for (let pixel = 0; pixel < numbers.length; pixel += channels * step) {
    if (hasAlpha && !((numbers[pixel + colours] ?? 0) > 0)) continue
    for (let colour = 0; colour < colours; colour += 1) {
      const value = numbers[pixel + colour] ?? Number.NaN
      if (!Number.isFinite(value)) continue
      found[count] = value
      count += 1
    }
  }
  return found.subarray(0, count)
}

/** Opens colours of floats as numbers: otherwise the library reduces them to eight bits before it stretches them. */
async function withLinearColours(
  open: () => Sharp,
  { width, height }: Metadata,
  seconds: number,
): Promise<Sharp> {
  const pixels = width * height
  if (pixels > mostCompared) return open() // as floats they would exhaust the memory
  const { data, info } = await open()
    .toColourspace('scrgb')
    .raw({ depth: 'float' })
    .timeout({ seconds })
    .toBuffer({ resolveWithObject: true })
  const { channels } = info
  const numbers = numbersOf(data)
  const read = async (most: number) => finiteColours(numbers, channels, Math.ceil(pixels / most))
  const range = await findRange(read, 1)
  if (!range) return open()
  const raw = { width: info.width, height: info.height, channels }
  return stretch(sharp(numbers, { raw }), range, 65_535)
}
