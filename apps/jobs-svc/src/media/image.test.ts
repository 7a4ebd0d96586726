import { imageSize } from '@reticle/formats/image/size'
import { expect, test } from 'vitest'
import { createBitmap } from '../testing/prepare.ts'
import { openImage } from './image.ts'

test('a bitmap is decoded as other pictures are', async () => {
  const bytes = createBitmap(30, 20, [200, 100, 50])
  expect(await imageSize(bytes)).toMatchObject({ width: 30, height: 20 })
  const { data, info } = await openImage(bytes)
    .resize(3, 2)
    .png()
    .toBuffer({ resolveWithObject: true })
  expect(info).toMatchObject({ format: 'png', width: 3, height: 2, channels: 3 })
  const { data: raw } = await openImage(bytes).raw().toBuffer({ resolveWithObject: true })
  expect([...raw.subarray(0, 3)]).toEqual([200, 100, 50])
  expect(data.length).toBeGreaterThan(0)
})

test('a bitmap that is cut off is refused', () => {
  const bytes = createBitmap(30, 20).subarray(0, 500)
  expect(() => openImage(bytes)).toThrow('bitmap is cut off: it has 500 of')
})

test.each([
  ['a drawing', '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="6"/>'],
  ['a drawing behind a comment', '<!--ftypavif--><svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['a bare format of the library', 'P2 1 1 1 1'],
])('%s is refused by all decoders', async (_, text) => {
  const bytes = Buffer.from(text)
  await expect(imageSize(bytes)).rejects.toThrow('unsupported image format')
  await expect(openImage(bytes).png().toBuffer()).rejects.toThrow('unsupported image format')
})
