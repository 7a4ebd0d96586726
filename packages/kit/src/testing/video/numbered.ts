import sharp from 'sharp'

/** Bits of a number in a picture: enough for 65,536 frames. */
const bits = 16

export interface Size {
  width: number
  height: number
}

/**
 * The luminance of a picture that shows a number: 16 bars from left to right over its upper half, white for a one, the highest bit
 * first. Below them a slope that moves with the number, so that pictures differ as those of a camera do.
 */
export const shadesOf =
  ({ width, height }: Size, number: number) =>
  (x: number, y: number): number =>
    y < height / 2 ? bar(x, width, number) : 64 + ((x + y + number * 3) % 128)

function bar(x: number, width: number, number: number): number {
  const bit = Math.floor((x * bits) / width)
  return (number >> (bits - 1 - bit)) & 1 ? 235 : 16
}

/** The number in a picture that stands upright, whatever its size. */
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
