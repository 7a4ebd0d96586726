import sharp, { type Sharp } from 'sharp'
import { expect, test } from 'vitest'
import { createImageDecoder } from './decode.ts'

/** Time limit of one image, and limit of concurrent images. */

const image = await sharp({
  create: { width: 3000, height: 3000, channels: 3, background: 'red' },
})
  .png({ compressionLevel: 1 })
  .toBuffer()
const read = async () => image
const png = (given: Sharp) => given.resize(8, 8).png()
/** Takes many seconds, in small steps. */
const slow = (given: Sharp) => given.resize(9000, 9000).sharpen({ sigma: 9 }).jpeg()
/** Simulates a library call that never returns and ignores limits. */
const hanging = (given: Sharp): Sharp =>
  Object.assign(given, {
    timeout: () => ({ toBuffer: () => new Promise<Buffer>(() => undefined) }),
  })
const undecodable = { kind: 'not_found', code: 'image_undecodable' }
const tooSlow = { ...undecodable, message: 'This image cannot be decoded within 1 seconds.' }

test('an image is read and converted to another', async () => {
  const made = await createImageDecoder()(read, png)
  expect(await sharp(made).metadata()).toMatchObject({ width: 8, height: 8, format: 'png' })
})

test.each([['no image'], [image.subarray(0, 200)]])(
  'bytes that are not a complete image are an error',
  async (bytes) => {
    const attempt = createImageDecoder()(async () => Buffer.from(bytes), png)
    await expect(attempt).rejects.toMatchObject(undecodable)
  },
)

test('an image that takes too long is cancelled, and its place is free again', async () => {
  const decode = createImageDecoder({ places: 1, longestSeconds: 1, patienceMs: 60_000 })
  await expect(decode(read, slow)).rejects.toMatchObject(tooSlow)
  expect((await decode(read, png)).length).toBeGreaterThan(0)
})

test('a decoder that never returns ends its call with an error, and other images are decoded', async () => {
  const decode = createImageDecoder({ places: 2, longestSeconds: 1, patienceMs: 200 })
  await expect(decode(read, hanging)).rejects.toMatchObject(tooSlow)
  expect((await decode(read, png)).length).toBeGreaterThan(0)
})

test('a caller without a place in time receives a retry time', async () => {
  const decode = createImageDecoder({ places: 1, longestSeconds: 1, patienceMs: 200 })
  await expect(decode(read, hanging)).rejects.toMatchObject(tooSlow)
  await expect(decode(read, png)).rejects.toMatchObject({ kind: 'too_many', retry_after: 10 })
})

test('an error of reading is passed on, and frees the place', async () => {
  const decode = createImageDecoder({ places: 1 })
  const failing = async (): Promise<Buffer> => {
    throw new Error('the store is away')
  }
  await expect(decode(failing, png)).rejects.toThrow('the store is away')
  expect((await decode(read, png)).length).toBeGreaterThan(0)
})
