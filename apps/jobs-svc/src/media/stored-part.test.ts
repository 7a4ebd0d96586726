import { bytesOf } from '@reticle/kit/testing/bytes'
import { expect, test } from 'vitest'
import { testStore } from '../testing/run.ts'
import { blobSource } from './blob-source.ts'
import { gather, openPlace } from './packed.ts'

const { blobs } = await testStore()
await blobs.put('media/a', bytesOf('0123456789'))

const gone = { kind: 'unavailable', retry_after: 2 }
const source = (size: number) => blobSource(blobs, { key: 'media/a', size })
const place = (offset: number, length: number) =>
  openPlace(blobs, { key: 'media/a', offset, length, packing: 'stored' })

test('parts of a stored object are read', async () => {
  expect(Buffer.from(await source(10).read(2, 4)).toString()).toBe('23')
  expect(String(await gather(await place(7, 3)))).toBe('789')
})

test.each([
  [8, 12],
  [11, 12],
])('bytes %i to %i, which the store no longer has, may be there later', async (start, end) => {
  await expect(source(12).read(start, end)).rejects.toMatchObject(gone)
  await expect(place(start, end - start)).rejects.toMatchObject(gone)
})
