import { s3Blobs } from '@reticle/kit/blob/s3'
import { spreadBytes, spreadKey, takenOver } from '@reticle/kit/blob/spread'
import { bytesOf, readAllBytes } from '@reticle/kit/testing/bytes'
import { startS3 } from '@reticle/kit/testing/s3-server'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createTemporaryBlobs } from '../testing/gateway.ts'
import { openChunkSource } from './source.ts'
import { storeChunk } from './store-chunk.ts'

const server = await startS3()
server.buckets.set('uploads', new Map())
afterAll(() => server.close())
const account = { accessKey: server.key, secretKey: server.secret, region: 'us-east-1' }
const bucket = await s3Blobs({ ...account, endpoint: server.url, bucket: 'uploads' })

describe.each([
  ['a disk', await createTemporaryBlobs()],
  ['a bucket', bucket],
])('a chunk for %s', (_, blobs) => {
  beforeEach(async () => {
    await blobs.removePrefix('up/')
  })

  const [one, two] = ['a', 'b'].map((letter) => Buffer.alloc(spreadBytes, letter))
  const key = spreadKey('up/f', 3 * spreadBytes)
  const content = async (at: string) => readAllBytes((await blobs.get(at)).chunks)

  async function store(
    opened: { key: string; tail?: string; offset: number },
    pieces: AsyncIterable<Uint8Array>,
    end: number,
    isMine: (offset: number) => boolean = () => true,
  ) {
    const noted: number[] = []
    const onStored = async (offset: number) => {
      noted.push(offset)
      return isMine(offset)
    }
    const source = openChunkSource(pieces)
    const stored = await storeChunk(blobs, { opened, end, source, onStored })
    return { stored, noted, broken: source.broken() }
  }

  test('is stored in parts, each recorded when it is stored', async () => {
    const bytes = Buffer.concat([one ?? '', two ?? '', 'c'].map((part) => Buffer.from(part)))
    const { stored, noted } = await store({ key, offset: 0 }, bytesOf(bytes), bytes.length)
    expect(stored).toBe(bytes.length)
    expect(noted).toEqual([spreadBytes, 2 * spreadBytes, 2 * spreadBytes + 1])
    expect((await content(`${key}/0-0`)).equals(one ?? Buffer.of())).toBe(true)
    expect((await content(`${key}/0-1`)).equals(two ?? Buffer.of())).toBe(true)
    expect(String(await content(`${key}/0-2`))).toBe('c')
  })

  test('is appended to an incomplete part', async () => {
    await store({ key, offset: 0 }, bytesOf('abc'), 3)
    await store({ key, tail: `${key}/0-0`, offset: 3 }, bytesOf('de', 'f'), 6)
    expect(String(await content(`${key}/0-0`))).toBe('abcdef')
  })

  test('after a takeover copies the stored bytes to another object', async () => {
    await store({ key, offset: 0 }, bytesOf('abc'), 3)
    const next = takenOver(key, 3)
    await store({ key: next, tail: `${key}/0-0`, offset: 3 }, bytesOf('d'), 4)
    expect(String(await content(`${key}/0-0`))).toBe('abc')
    expect(String(await content(`${key}/1-0`))).toBe('abcd')
  })

  test('after a tail with more bytes than recorded reads only the recorded ones', async () => {
    await store({ key, offset: 0 }, bytesOf('abcX'), 4)
    await store({ key, tail: `${key}/0-0`, offset: 3 }, bytesOf('d'), 4)
    expect(String(await content(`${key}/0-0`))).toBe('abcd')
  })

  test('after a tail that is shorter than recorded fails, because the store has lost data', async () => {
    await store({ key, offset: 0 }, bytesOf('ab'), 2)
    const attempt = store({ key, tail: `${key}/0-0`, offset: 3 }, bytesOf('d'), 4)
    await expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('is stored up to the point where its source breaks off', async () => {
    async function* broken() {
      yield Buffer.from('abc')
      throw new Error('gone')
    }
    const { stored, noted, broken: how } = await store({ key, offset: 0 }, broken(), 100)
    expect([stored, noted]).toEqual([3, [3]])
    expect(how).toMatchObject({ thrown: { message: 'gone' } })
    expect(String(await content(`${key}/0-0`))).toBe('abc')
  })

  test('without any byte before a break leaves the stored bytes unchanged', async () => {
    await store({ key, offset: 0 }, bytesOf('abc'), 3)
    const broken = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject('gone') }) }
    const next = { key, tail: `${key}/0-0`, offset: 3 }
    expect(await store(next, broken, 100)).toMatchObject({ stored: 3, noted: [] })
  })

  test('stops after another client has taken over', async () => {
    const bytes = Buffer.alloc(2 * spreadBytes)
    const { noted } = await store({ key, offset: 0 }, bytesOf(bytes), bytes.length, () => false)
    expect(noted).toEqual([spreadBytes])
  })

  test('a file of one part is stored as one object', async () => {
    await store({ key: 'up/f', offset: 0 }, bytesOf('abc'), 3)
    await store({ key: 'up/f', tail: 'up/f', offset: 3 }, bytesOf('d'), 4)
    expect(String(await content('up/f'))).toBe('abcd')
  })
})
