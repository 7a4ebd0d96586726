import sharp from 'sharp'
import { expect, test } from 'vitest'
import { pictureFile } from '../../testing/assets.ts'
import { fitPicture, longestSide } from './picture.ts'

const sizeOf = async (bytes: Uint8Array) => {
  const { width, height, format } = await sharp(bytes).metadata()
  return [format, width, height]
}

test.each([
  ['wide.png', { width: 3840, height: 100 }, ['png', 1920, 50]],
  ['tall.png', { width: 100, height: 3840 }, ['png', 50, 1920]],
  ['wide.jpg', { width: 1921, height: 1920 }, ['jpeg', 1920, 1919]],
] as const)('%s is scaled down', async (name, size, expected) => {
  const { bytes, media_type } = await pictureFile(name, size)
  expect(await sizeOf(await fitPicture(bytes, media_type))).toEqual(expected)
})

test.each([
  ['edge.png', { width: longestSide, height: longestSide }],
  ['edge.jpg', { width: longestSide, height: 1 }],
  ['wide.webp', { width: 2500, height: 10 }],
  ['wide.gif', { width: 2500, height: 10 }],
])('%s keeps its bytes', async (name, size) => {
  const { bytes, media_type } = await pictureFile(name, size)
  expect(Buffer.from(await fitPicture(bytes, media_type)).equals(bytes)).toBe(true)
})

test('a photograph with an orientation tag is upright after it is scaled down', async () => {
  const { bytes } = await pictureFile('a.jpg', { width: 2400, height: 1200 })
  const turned = await sharp(bytes).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  expect(await sizeOf(await fitPicture(turned, 'image/jpeg'))).toEqual(['jpeg', 960, 1920])
})

test.each([
  ['a picture of another kind', 'image/webp', async () => (await pictureFile('a.png')).bytes],
  ['a signature and nothing more', 'image/png', async () => Buffer.from('\x89PNG\r\n\x1a\n')],
  ['one that claims too many pixels', 'image/png', async () => claiming(60_000)],
  ['a large one that was cut', 'image/jpeg', cut],
])('%s is rejected with an error of the field', async (_, media_type, make) => {
  await expect(fitPicture(await make(), media_type)).rejects.toMatchObject({
    kind: 'invalid',
    body: { file: [expect.stringContaining(media_type)] },
  })
})

/** Returns a PNG of a few bytes whose header declares `side` pixels of width and height. */
async function claiming(side: number): Promise<Buffer> {
  const { crc32 } = await import('node:zlib')
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head.writeUInt8(8, 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const data = chunk('IDAT', Buffer.from('789c0300000000' + '01', 'hex'))
  return Buffer.concat([signature, chunk('IHDR', head), data, chunk('IEND', Buffer.alloc(0))])
}

async function cut(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const create = { width: 2200, height: 400, channels: 3, background: 'black', noise } as const
  const bytes = await sharp({ create }).jpeg().toBuffer()
  return bytes.subarray(0, bytes.length / 2)
}
