import sharp, { type Sharp } from 'sharp'
import { toJpeg } from '../media/image.ts'
import type { PictureForm, VideoIndex, VideoPicture } from './decoder.ts'
import { turned } from './orientation.ts'

/** Picture of a frame as stored: RGB, eight bits each, rows without gaps. */
export interface RawFrame {
  frame: number
  pixels: Buffer
}

/** Number of pictures that are encoded while the next is decoded. */
const ahead = 2

/** Turns frames upright and encodes them, in order. An error is thrown after all pictures that precede it. */
export async function* encodePictures(
  raw: AsyncGenerator<RawFrame>,
  index: VideoIndex,
  form: PictureForm,
): AsyncGenerator<VideoPicture> {
  const making: Promise<VideoPicture>[] = []
  const reading = stopAtFailure(raw)
  try {
    for await (const frame of reading.frames) {
      const one = encodePicture(frame, index, form)
      one.catch(() => undefined) // awaited later
      making.push(one)
      const first = making.length < ahead ? undefined : making.shift()
      if (first) yield await first
    }
    for (const one of making) yield await one
    reading.check()
  } finally {
    await Promise.allSettled(making)
  }
}

/** Yields the frames up to the first failure, which `check` then throws. */
function stopAtFailure(raw: AsyncGenerator<RawFrame>) {
  let fail: () => void = () => undefined
  async function* frames() {
    try {
      yield* raw
    } catch (thrown) {
      fail = () => {
        throw thrown
      }
    }
  }
  return { frames: frames(), check: () => fail() }
}

async function encodePicture(
  { frame, pixels }: RawFrame,
  index: VideoIndex,
  form: PictureForm,
): Promise<VideoPicture> {
  const { isMirrored, turn } = index.orientation
  const { width, height } = turned(index, index.orientation)
  const stored = sharp(pixels, { raw: { width, height, channels: 3 } })
  const upright = (isMirrored ? stored.flop() : stored).rotate(turn)
  return { frame, bytes: await applyForm(upright, form).toBuffer() }
}

function applyForm(picture: Sharp, form: PictureForm): Sharp {
  if (form.format === 'png') return picture.png()
  if (form.format === 'tiff') return picture.tiff({ compression: 'none' })
  const { quality } = form
  if (!('fit' in form)) return toJpeg(picture, quality)
  const { fit } = form
  return toJpeg(picture.resize(fit, fit, { fit: 'inside', withoutEnlargement: true }), quality)
}
