import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'

sharp.concurrency(1)
sharp.cache(false)

export interface Photos {
  count: number
  /** Pixels. */
  width: number
  height: number
}

/** Files of JPEG photos below a folder, in order of their names; every one has bytes of its own. */
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

/** The same without files: the name and the bytes of the one of each number. */
export async function photographer({ width, height }: Omit<Photos, 'count'>) {
  const picture = await scene(width, height)
  return (index: number) => ({ name: nameOf(index), bytes: commented(picture, index) })
}

const nameOf = (index: number) => `${String(index).padStart(6, '0')}.jpg`

/** Soft shapes with grain, so that a JPEG of it has about as many bytes as one of a camera. */
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

/** A comment segment after the first marker (ITU-T T.81 B.2.4.5) makes equal pictures different files. */
function commented(jpeg: Buffer, index: number): Buffer {
  const text = Buffer.from(`photo ${index}`)
  const head = Buffer.from([0xff, 0xfe, 0, text.length + 2])
  return Buffer.concat([jpeg.subarray(0, 2), head, text, jpeg.subarray(2)])
}
