import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'

sharp.concurrency(1)
sharp.cache(false)

export interface Photos {
  count: number
  /** Width in pixels. */
  width: number
  height: number
}

/** Creates JPEG photos with distinct bytes below a folder; returns them in the order of their names. */
export async function makePhotos(
  folder: string,
  { count, width, height }: Photos,
): Promise<string[]> {
  const picture = await scene(width, height)
  return Array.from({ length: count }, (_, index) => {
    const file = join(folder, nameOf(index))
    writeFileSync(file, commented(picture, index))
    return file
  })
}

/** Returns a function that creates name and bytes of the photo with a number, without files. */
export async function createPhotographer({ width, height }: Omit<Photos, 'count'>) {
  const picture = await scene(width, height)
  return (index: number) => ({ name: nameOf(index), bytes: commented(picture, index) })
}

const nameOf = (index: number) => `${String(index).padStart(6, '0')}.jpg`

/** Draws soft shapes with grain, so that its JPEG is about as large as one of a camera. */
async function scene(width: number, height: number): Promise<Buffer> {
  const raw = { width: 64, height: 48, channels: 3 } as const
  const soft = sharp(randomBytes(raw.width * raw.height * raw.channels), { raw }).resize(
    width,
    height,
    { kernel: 'cubic', fit: 'fill' },
  )
  const noise = { type: 'gaussian', mean: 128, sigma: 12 } as const
  const grain = await sharp({ create: { width, height, channels: 3, background: 'grey', noise } })
    .png()
    .toBuffer()
  return soft
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 90 })
    .toBuffer()
}

/** A comment segment after the first marker (ITU-T T.81 B.2.4.5) makes equal images different files. */
function commented(jpeg: Buffer, index: number): Buffer {
  const text = Buffer.from(`photo ${index}`)
  const head = Buffer.from([0xff, 0xfe, 0, text.length + 2])
  return Buffer.concat([jpeg.subarray(0, 2), head, text, jpeg.subarray(2)])
}
