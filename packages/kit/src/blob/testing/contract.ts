import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { BlobStore, Range } from '../blob.ts'
import { stepsContract } from './steps-contract.ts'

/** Registers the tests that every adapter of `BlobStore` must pass. They use only keys below `contract/`. */
export function blobContract(name: string, blobs: BlobStore): void {
  describe(`objects on ${name}`, () => {
    testPut(blobs)
    testGet(blobs)
    testList(blobs)
    testKeys(blobs)
  })
  stepsContract(name, blobs)
}

async function* pieces(...parts: (string | Uint8Array | Error)[]): AsyncIterable<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part
    yield Buffer.from(part)
  }
}

const write = (blobs: BlobStore, key: string, text: string) => blobs.put(key, pieces(text))

async function read(blobs: BlobStore, key: string, range?: Range): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of (await blobs.get(key, range)).chunks) parts.push(part)
  return Buffer.concat(parts).toString()
}

async function keys(blobs: BlobStore, prefix: string): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of blobs.list(prefix)) found.push(key)
  return found
}

const missing = { kind: 'not_found' }

function testPut(blobs: BlobStore) {
  test('a stored object has the content, size and checksum of its source', async () => {
    const stored = await blobs.put('contract/put/a', pieces('one ', 'two'))
    const sha256 = createHash('sha256').update('one two').digest('hex')
    expect(stored).toEqual({ size: 7, sha256, etag: expect.any(String) })
    expect(await read(blobs, 'contract/put/a')).toBe('one two')
    expect(await blobs.stat('contract/put/a')).toEqual({
      key: 'contract/put/a',
      size: 7,
      etag: stored.etag,
      modified_date: expect.any(Date),
    })
  })

  test('an empty object can be stored and read', async () => {
    expect(await blobs.put('contract/put/empty', pieces())).toMatchObject({ size: 0 })
    expect(await read(blobs, 'contract/put/empty')).toBe('')
  })

  test('a second put replaces the object and changes the etag', async () => {
    const first = await write(blobs, 'contract/put/b', 'first')
    const other = await write(blobs, 'contract/put/b', 'other')
    expect(other.etag).not.toBe(first.etag)
    expect(await read(blobs, 'contract/put/b')).toBe('other')
  })

  test('a failed put leaves no object, or the former one', async () => {
    const broken = () => pieces('half', new Error('source broke'))
    await expect(blobs.put('contract/put/c', broken())).rejects.toThrow('source broke')
    await expect(blobs.stat('contract/put/c')).rejects.toMatchObject(missing)
    await write(blobs, 'contract/put/d', 'whole')
    await expect(blobs.put('contract/put/d', broken())).rejects.toThrow('source broke')
    expect(await read(blobs, 'contract/put/d')).toBe('whole')
  })

  test('an aborted put leaves no object and throws the reason of the abort', async () => {
    const abort = new AbortController()
    async function* endless() {
      for (;;) {
        yield Buffer.alloc(1000)
        setImmediate(() => abort.abort(new Error('caller left')))
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const attempt = blobs.put('contract/put/e', endless(), { signal: abort.signal })
    await expect(attempt).rejects.toThrow('caller left')
    await expect(blobs.stat('contract/put/e')).rejects.toMatchObject(missing)
  })

  test('a put can be aborted while its source is silent', async () => {
    const abort = new AbortController()
    async function* silent() {
      yield Buffer.from('half')
      setImmediate(() => abort.abort(new Error('caller left')))
      await new Promise(() => {})
    }
    const attempt = blobs.put('contract/put/g', silent(), { signal: abort.signal })
    await expect(attempt).rejects.toThrow('caller left')
    await expect(blobs.stat('contract/put/g')).rejects.toMatchObject(missing)
  })

  test('after two concurrent puts the object is completely one of the two', async () => {
    const texts = ['a', 'b'].map((letter) => letter.repeat(300_000))
    await Promise.all(texts.map((text) => write(blobs, 'contract/put/f', text)))
    expect(texts).toContain(await read(blobs, 'contract/put/f'))
  })
}

function testGet(blobs: BlobStore) {
  test.each([
    [{ start: 0, end: 2 }, '012'],
    [{ start: 4 }, '456789'],
    [{ start: 7, end: 100 }, '789'],
    [{ start: 9, end: 9 }, '9'],
  ])('the range %o includes both of its ends', async (range, expected) => {
    await write(blobs, 'contract/get/digits', '0123456789')
    expect((await blobs.get('contract/get/digits', range)).size).toBe(10)
    expect(await read(blobs, 'contract/get/digits', range)).toBe(expected)
  })

  test('a range that starts beyond the last byte is rejected as invalid', async () => {
    await write(blobs, 'contract/get/short', '012')
    const attempt = blobs.get('contract/get/short', { start: 3 })
    await expect(attempt).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('a large object is read in pieces of at most 64 KiB', async () => {
    const large = Buffer.alloc(1_000_000, 'x')
    await blobs.put('contract/get/large', pieces(large))
    const lengths: number[] = []
    for await (const { length } of (await blobs.get('contract/get/large')).chunks)
      lengths.push(length)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(65_536)
    expect(lengths.reduce((sum, length) => sum + length)).toBe(1_000_000)
  })

  test('a missing object is reported as not found', async () => {
    await expect(blobs.get('contract/get/nothing')).rejects.toMatchObject(missing)
    await expect(blobs.stat('contract/get/nothing')).rejects.toMatchObject(missing)
    await expect(blobs.stat('contract/get')).rejects.toMatchObject(missing)
  })
}

function testList(blobs: BlobStore) {
  test('a list contains the keys that begin with the prefix, in order', async () => {
    for (const key of ['b', 'a/2', 'a/1', 'ab', 'a-b'])
      await write(blobs, `contract/list/${key}`, key)
    expect(await keys(blobs, 'contract/list/a')).toEqual(
      ['a-b', 'a/1', 'a/2', 'ab'].map((key) => `contract/list/${key}`),
    )
    expect(await keys(blobs, 'contract/list/a/')).toEqual(
      ['a/1', 'a/2'].map((key) => `contract/list/${key}`),
    )
    expect(await keys(blobs, 'contract/nowhere/')).toEqual([])
  })

  test('removing deletes one object, and removing a missing one succeeds', async () => {
    await write(blobs, 'contract/remove/a', 'a')
    await write(blobs, 'contract/remove/b', 'b')
    await blobs.remove('contract/remove/a')
    await blobs.remove('contract/remove/a')
    expect(await keys(blobs, 'contract/remove/')).toEqual(['contract/remove/b'])
  })

  test('removing a prefix deletes every object below it and no other', async () => {
    for (const key of ['x/1', 'x/y/2', 'xx']) await write(blobs, `contract/prefix/${key}`, key)
    expect(await blobs.removePrefix('contract/prefix/x/')).toBe(2)
    expect(await keys(blobs, 'contract/prefix/')).toEqual(['contract/prefix/xx'])
  })
}

function testKeys(blobs: BlobStore) {
  test.each([
    '',
    '/contract',
    'contract/',
    'contract//a',
    '../contract',
    'contract/../a',
    'contract/.hidden',
    'contract\\a',
    'contract/a b',
    'contract/\0',
    'x'.repeat(2000),
  ])('%j is rejected as a key', async (key) => {
    const text = 'is no key of an object'
    await expect(async () => blobs.put(key, pieces('x'))).rejects.toThrow(text)
    await expect(async () => blobs.get(key)).rejects.toThrow(text)
    await expect(async () => blobs.remove(key)).rejects.toThrow(text)
  })

  test('removing an empty prefix is rejected', async () => {
    await expect(async () => blobs.removePrefix('')).rejects.toThrow('is no key')
  })
}
