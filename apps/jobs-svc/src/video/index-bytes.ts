import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import { z } from 'zod'
import { codecs, mostFrames, type VideoIndex } from './decoder.ts'

/** First bytes of every index; the last letter is the version. Other versions are refused. */
const magic = Buffer.from('RVI1')
/** Bytes of the magic number and the checksum. */
const frontBytes = magic.length + 4

/** Most bytes of a number: twice the change of a step between times of `mostTime` has 53 bits. */
const longestNumber = 8
/** Most bytes of an unpacked index: both lists, and the text before them. */
const mostBytes = mostFrames * 2 * longestNumber + 4096

const head = z.object({
  codec: z.enum(codecs),
  by: z.enum(['time', 'order']),
  width: z.int().min(1),
  height: z.int().min(1),
  orientation: z.object({
    isMirrored: z.boolean(),
    turn: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
  }),
  time_base: z.object({ num: z.int().min(1), den: z.int().min(1) }),
  frames: z.int().min(0).max(mostFrames),
  keys: z.int().min(0).max(mostFrames),
})

/**
 * Error for stored bytes that are not an index, are damaged, or have another version: the video has to be probed again.
 */
export class BrokenIndex extends Error {}

/**
 * Encodes an index for storage: `RVI1`, CRC-32 of the rest, then deflated a line of JSON and both lists of times as the
 * changes of their steps. Evenly spaced frames take hardly a thousandth of a byte each, others about one or two bytes.
 */
export function encodeIndex({ pts, keys, ...about }: VideoIndex): Buffer {
  const line = `${JSON.stringify({ ...about, frames: pts.length, keys: keys.length })}\n`
  const packed = deflateRawSync(Buffer.concat([Buffer.from(line), stepsOf(pts), stepsOf(keys)]))
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32LE(crc32(packed))
  return Buffer.concat([magic, checksum, packed])
}

/**
 * Decodes an index.
 *
 * @throws BrokenIndex when the bytes are damaged or have another version
 */
export function decodeIndex(bytes: Uint8Array): VideoIndex {
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (given.length < frontBytes || !given.subarray(0, magic.length).equals(magic))
    throw new BrokenIndex('these bytes are no index of a video, or of another version')
  const packed = given.subarray(frontBytes)
  if (crc32(packed) !== given.readUInt32LE(magic.length))
    throw new BrokenIndex('the index of a video was changed on its way')
  try {
    return unpacked(inflateRawSync(packed, { maxOutputLength: mostBytes }))
  } catch (cause) {
    throw new BrokenIndex('the index of a video cannot be read', { cause })
  }
}

function unpacked(whole: Buffer): VideoIndex {
  const end = whole.indexOf('\n')
  const {
    frames,
    keys: keyCount,
    ...about
  } = head.parse(JSON.parse(whole.toString('utf8', 0, end)))
  const read = stepReader(whole, end + 1)
  const pts = read(frames)
  return { ...about, pts, keys: read(keyCount) }
}

/** Encodes each time as the change of the step to it, zigzag and in groups of seven bits: 0 for evenly spaced times. */
function stepsOf(times: Float64Array): Buffer {
  const bytes = Buffer.alloc(times.length * longestNumber)
  let at = 0
  let before = 0
  let step = 0
  for (const time of times) {
    const change = time - before - step
    // No bit shifts here, because they truncate to 32 bits.
    let left = change < 0 ? -change * 2 - 1 : change * 2
    for (; left > 127; left = Math.floor(left / 128)) {
      bytes[at] = (left % 128) + 128
      at += 1
    }
    bytes[at] = left
    at += 1
    step = time - before
    before = time
  }
  return bytes.subarray(0, at)
}

function stepReader(bytes: Buffer, from: number): (count: number) => Float64Array {
  let at = from
  const next = () => {
    let number = 0
    for (let weight = 1; ; weight *= 128) {
      const byte = bytes[at]
      if (byte === undefined) throw new Error('the index is truncated')
      at += 1
      number += (byte % 128) * weight
      if (byte < 128) return number
    }
  }
  return (count) => {
    let before = 0
    let step = 0
    return new Float64Array(count).map(() => {
      const number = next()
      step += number % 2 === 1 ? -(number + 1) / 2 : number / 2
      before += step
      return before
    })
  }
}
