import sharp from 'sharp'

/** Bits of a number in a frame: enough for 65,536 frames. */
const bits = 16

export interface FrameSize {
  width: number
  height: number
}

/** Distance in rows at which rows of the gradient are equal. */
const period = 128

/**
 * Draws the luminance of a frame that shows a number, one byte per pixel: 16 bars from left to right in its upper half,
 * white for a one, the highest bit first. The lower half is a gradient that moves with the number, so that frames
 * differ like those of a camera.
 */
export function drawNumber({ width, height }: FrameSize, number: number): Uint8Array {
  const picture = new Uint8Array(width * height)
  const middle = Math.ceil(height / 2)
  for (let x = 0; x < width; x += 1) picture[x] = bar(x, width, number)
  for (let y = 1; y < middle; y += 1) picture.copyWithin(y * width, 0, width)
  for (let y = middle; y < height; y += 1) {
    const at = y * width
    const alike = y - period
    if (alike >= middle) picture.copyWithin(at, alike * width, (alike + 1) * width)
    else for (let x = 0; x < width; x += 1) picture[at + x] = 64 + ((x + y + number * 3) % period)
  }
  return picture
}

function bar(x: number, width: number, number: number): number {
  const bit = Math.floor((x * bits) / width)
  return (number >> (bits - 1 - bit)) & 1 ? 235 : 16
}

/** Reads the number from an upright image of any size. */
export async function readNumber(picture: Uint8Array): Promise<number> {
  const { data, info } = await sharp(picture)
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const y = Math.floor(info.height / 4)
  let number = 0
  for (let bit = 0; bit < bits; bit += 1) {
    const x = Math.floor(((bit + 0.5) * info.width) / bits)
    number = number * 2 + ((data[(y * info.width + x) * info.channels] ?? 0) > 127 ? 1 : 0)
  }
  return number
}
