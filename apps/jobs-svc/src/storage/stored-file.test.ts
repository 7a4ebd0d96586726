import { spreadBytes } from '@reticle/kit/blob/spread'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { expect, test } from 'vitest'
import { openMediaBytes } from '../media/media-bytes.ts'
import { testStore } from '../testing/run.ts'
import { blobSource, gatherBytes } from './stored-file.ts'

const { blobs } = await testStore()
await blobs.put('media/a', bytesOf('0123456789'))

const gone = { kind: 'unavailable', retry_after: 2 }
const source = (size: number) => blobSource(blobs, { key: 'media/a', size })
const place = (offset: number, length: number) =>
  openMediaBytes(blobs, { key: 'media/a', offset, length, packing: 'stored' })

test('parts of a stored object are read', async () => {
  expect(Buffer.from(await source(10).read(2, 4)).toString()).toBe('23')
  expect(String(await gatherBytes(await place(7, 3)))).toBe('789')
})

test.each([
  [8, 12],
  [11, 12],
])('bytes %i to %i that the store has lost are a transient error', async (start, end) => {
  await expect(source(12).read(start, end)).rejects.toMatchObject(gone)
  await expect(place(start, end - start)).rejects.toMatchObject(gone)
})

test('a file in several objects is read as one', async () => {
  const key = 'media/b.parts/1.1'
  await blobs.put('media/b.parts/0-0', bytesOf(Buffer.alloc(spreadBytes, 'a')))
  await blobs.put('media/b.parts/1-1', bytesOf('bcd'))
  const spread = blobSource(blobs, { key, size: spreadBytes + 3 })
  expect(String(await spread.read(spreadBytes - 2, spreadBytes + 2))).toBe('aabc')
  expect(String(await spread.read(spreadBytes + 1, spreadBytes + 3))).toBe('cd')
  await expect(spread.read(spreadBytes - 1, spreadBytes + 4)).rejects.toMatchObject(gone)
})
