import { frameOf } from '@reticle/contracts/testing/records'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { turnUpright } from '../media/upright.ts'
import { gatherBytes } from '../storage/stored-file.ts'
import { testStore, uploadFile } from '../testing/run.ts'
import { readUpright } from './upright.ts'

const red = { r: 220, g: 0, b: 0 }
/** Stored picture of 40 x 20 pixels, black with a red left half. */
const halves = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'black' } })
  .composite([
    {
      input: { create: { width: 20, height: 20, channels: 3, background: red } },
      left: 0,
      top: 0,
    },
  ])
  .png()
  .toBuffer()

test.each([
  [3, { width: 40, height: 20 }, 'right'],
  [6, { width: 20, height: 40 }, 'top'],
  [8, { width: 20, height: 40 }, 'bottom'],
])(
  'a photograph of orientation %i is turned upright and loses its orientation tag',
  async (orientation, size, side) => {
    const photo = await sharp(halves).withMetadata({ orientation }).jpeg().toBuffer()

    const made = await exported(photo)

    const { width, height, orientation: left } = await sharp(made).metadata()
    expect({ width, height, left: left ?? 1 }).toEqual({ ...size, left: 1 })
    const { data, info } = await sharp(made).raw().toBuffer({ resolveWithObject: true })
    const redAt = (x: number, y: number) => (data[(y * info.width + x) * info.channels] ?? 0) > 128
    const found = {
      top: redAt(size.width / 2, 2),
      bottom: redAt(size.width / 2, size.height - 3),
      left: redAt(2, size.height / 2),
      right: redAt(size.width - 3, size.height / 2),
    }
    expect(found[side as keyof typeof found]).toBe(true)
    const opposite = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' }[side]
    expect(found[opposite as keyof typeof found]).toBe(false)
  },
)

test('upright photographs, other files and undecodable bytes are unchanged', async () => {
  const photo = await sharp(halves).jpeg().toBuffer()
  const turned = await sharp(halves).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  const broken = turned.subarray(0, turned.length - 200)

  for (const bytes of [photo, halves, broken, Buffer.from('text'), Buffer.alloc(0)])
    expect(await exported(bytes)).toEqual(bytes)
})

test('an orientation tag after the first bytes is read as well', async () => {
  const photo = await sharp(halves).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  const comment = Buffer.alloc(65_537)
  comment.writeUInt32BE(0xff_fe_ff_ff)
  const late = Buffer.concat([photo.subarray(0, 2), comment, comment, comment, photo.subarray(2)])

  const { width, height } = await sharp(await exported(late)).metadata()

  expect({ width, height }).toEqual({ width: 20, height: 40 })
})

test('an export reads upright pictures from a store', async () => {
  const { blobs } = await testStore()
  const photo = await sharp(halves).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  const { name, key, size } = await uploadFile(blobs, 'a.jpg', photo)

  const made = await gatherBytes(readUpright(blobs, frameOf({ name, key, length: size })))

  const { width, height } = await sharp(made).metadata()
  expect({ width, height }).toEqual({ width: 20, height: 40 })
})

/** Turns bytes upright in small pieces, as a store returns them. */
const exported = (bytes: Buffer) => gatherBytes(turnUpright(pieces(bytes)), 10_000_000)

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
}
