import { describe, expect, test } from 'vitest'
import { bytesOf, readAllBytes } from '../testing/bytes.ts'
import type { Bucket } from './bucket.ts'

/** Objects of the bucket on which the contract of `Bucket` is tested; another bucket is missing. */
export const contractObjects: Readonly<Record<string, string>> = {
  'a.txt': 'first',
  'b%20 +ü.txt': 'awkward',
  'folder/': '',
  'folder/1.jpg': 'one',
  'folder/2.jpg': 'two',
  'folder/deep/3.jpg': 'three',
  'other/4.jpg': 'four',
  'large.bin': 'x'.repeat(200_000),
}

/** Deviation of an emulator from the store that it emulates. */
type Lack =
  | 'takes any token'
  /** Directories are not counted as entries of a page. */
  | 'counts no folders'
  | 'knows no rights'

interface Given {
  bucket: () => Bucket
  missing: () => Bucket
  lacks?: readonly Lack[]
  /** Returns keys of unfinished uploads, if the store lists them. */
  unfinished?: () => Promise<string[]>
}

const { signal } = new AbortController()

export function bucketContract(name: string, given: Given) {
  describe(`a bucket of ${name}`, () => {
    listing(given)
    files(given)
    reading(given)
    writing(given)
    replacing(given)
  })
}

/** Skips a test of a behaviour that the emulator does not reproduce. */
const unless = (lacks: readonly Lack[], lack: Lack) =>
  lacks.includes(lack) ? () => undefined : test

function listing({ bucket, missing, lacks = [] }: Given) {
  test('an existing bucket is available, and a missing one is not', async () => {
    expect(await bucket().probe('', signal)).toBe('available')
    expect(await bucket().probe('nothing/below', signal)).toBe('available')
    expect(await missing().probe('', signal)).toBe('not_found')
  })

  test('a list shows one level of keys, with directories separate', async () => {
    const top = await bucket().list({ prefix: '', size: 100 }, signal)
    expect([...top.directories].sort()).toEqual(['folder/', 'other/'])
    expect([...top.keys].sort()).toEqual(['a.txt', 'b%20 +ü.txt', 'large.bin'])
    expect(top.next).toBeNull()
    const below = await bucket().list({ prefix: 'folder/', size: 100 }, signal)
    expect(below.directories).toEqual(['folder/deep/'])
    expect(below.keys.filter((key) => key !== 'folder/')).toEqual(['folder/1.jpg', 'folder/2.jpg'])
    const begun = await bucket().list({ prefix: 'folder/1', size: 100 }, signal)
    expect(begun).toEqual({ directories: [], keys: ['folder/1.jpg'], next: null })
  })

  test('a long level is listed in pages', async () => {
    const seen: string[] = []
    let token: string | undefined
    for (let pages = 0; pages < 10; pages++) {
      const page = await bucket().list({ prefix: '', size: 2, token }, signal)
      const folders = lacks.includes('counts no folders') ? 0 : page.directories.length
      expect(page.keys.length + folders).toBeLessThanOrEqual(2)
      seen.push(...page.directories, ...page.keys)
      if (page.next === null) break
      token = page.next
    }
    expect([...new Set(seen)].sort()).toEqual([
      'a.txt',
      'b%20 +ü.txt',
      'folder/',
      'large.bin',
      'other/',
    ])
  })

  unless(lacks, 'takes any token')('refuses a token that it has not given', async () => {
    const attempt = bucket().list({ prefix: '', size: 2, token: '!?' }, signal)
    await expect(attempt).rejects.toMatchObject({ reason: 'bad_token' })
  })
}

/** Excludes objects that represent a folder, which not every store keeps. */
const isFile = (key: string) => !key.endsWith('/')

function files({ bucket, lacks = [] }: Given) {
  const below = async (prefix: string) =>
    (await bucket().files({ prefix, size: 100 }, signal)).files.filter(({ key }) => isFile(key))

  test('a recursive list contains every object below a prefix with its size', async () => {
    expect(await below('folder/')).toEqual([
      { key: 'folder/1.jpg', size: 3 },
      { key: 'folder/2.jpg', size: 3 },
      { key: 'folder/deep/3.jpg', size: 5 },
    ])
    expect((await below('')).find(({ key }) => key === 'large.bin')?.size).toBe(200_000)
    expect(await below('b%20 +ü.txt')).toEqual([{ key: 'b%20 +ü.txt', size: 7 }])
    expect(await bucket().files({ prefix: 'none', size: 1 }, signal)).toEqual({
      files: [],
      next: null,
    })
  })

  test('a long recursive list has pages, and a key precedes keys that begin with it', async () => {
    const seen: string[] = []
    let token: string | undefined
    for (let pages = 0; pages < 10; pages++) {
      const page = await bucket().files({ prefix: '', size: 3, token }, signal)
      expect(page.files.length).toBeLessThanOrEqual(3)
      seen.push(...page.files.map(({ key }) => key).filter(isFile))
      if (page.next === null) break
      token = page.next
    }
    expect(seen).toEqual(Object.keys(contractObjects).filter(isFile).sort())
    const [first] = (await bucket().files({ prefix: 'folder/1.jpg', size: 1 }, signal)).files
    expect(first?.key).toBe('folder/1.jpg')
  })

  unless(lacks, 'takes any token')('refuses a token that it has not given here', async () => {
    const attempt = bucket().files({ prefix: '', size: 2, token: '!?' }, signal)
    await expect(attempt).rejects.toMatchObject({ reason: 'bad_token' })
  })
}

function reading({ bucket, lacks = [] }: Given) {
  const text = async (key: string, part = {}) =>
    (await readAllBytes(bucket().read(key, part, signal))).toString()

  test('only a complete key exists', async () => {
    expect(await bucket().exists('folder/deep/3.jpg', signal)).toBe(true)
    expect(await bucket().exists('folder/deep', signal)).toBe(false)
  })

  test('an object is read whole or in ranges', async () => {
    expect(await text('b%20 +ü.txt')).toBe('awkward')
    expect(await text('a.txt', { start: 1, end: 3 })).toBe('irs')
    expect(await text('a.txt', { start: 3 })).toBe('st')
    for await (const piece of bucket().read('large.bin', {}, signal))
      expect(piece.length).toBeLessThanOrEqual(65_536)
    expect((await text('large.bin')).length).toBe(200_000)
    await expect(text('none')).rejects.toMatchObject({ reason: 'no_key' })
  })

  unless(lacks, 'knows no rights')('says whether it may be written', async () => {
    expect(await bucket().canWrite(signal)).toBe(true)
  })

  test('an aborted signal ends a call', async () => {
    const attempt = bucket().list({ prefix: '', size: 2 }, AbortSignal.abort())
    await expect(attempt).rejects.toMatchObject({ reason: 'unreachable' })
  })
}

const mebibyte = Buffer.alloc(1024 * 1024, 'm')

function writing({ bucket, missing, unfinished = async () => [] }: Given) {
  const size = async (key: string) =>
    (await bucket().files({ prefix: key, size: 1 }, signal)).files.find((one) => one.key === key)
      ?.size
  const text = async (key: string) =>
    (await readAllBytes(bucket().read(key, {}, signal))).toString()

  test('a write stores an object, and a second one replaces it', async () => {
    const key = 'written/ü 20%+.txt'
    await bucket().write(key, bytesOf('one ', 'after ', 'another'), signal)
    expect(await text(key)).toBe('one after another')
    await bucket().write(key, bytesOf(), signal)
    expect(await size(key)).toBe(0)
  })

  test('an object larger than a part is stored byte for byte', async () => {
    const key = 'written/large.bin'
    async function* pieces() {
      for (let number = 0; number < 17; number++) yield mebibyte
      yield Buffer.from('the end')
    }
    await bucket().write(key, pieces(), signal)
    expect(await size(key)).toBe(17 * mebibyte.length + 7)
    const tail = bucket().read(key, { start: 17 * mebibyte.length - 1 }, signal)
    expect((await readAllBytes(tail)).toString()).toBe('mthe end')
    expect(await unfinished()).toEqual([])
  })

  test.each([
    ['nothing', 0],
    ['a little', 1],
    ['some parts', 20],
  ])('a write whose source breaks off after %s leaves nothing behind', async (_, count) => {
    const broken = new Error('the source has an end')
    async function* pieces() {
      for (let number = 0; number < count; number++) yield mebibyte
      throw broken
    }
    await expect(bucket().write('broken', pieces(), signal)).rejects.toBe(broken)
    expect(await size('broken')).toBeUndefined()
    expect(await unfinished()).toEqual([])
  })

  test('an aborted write leaves nothing behind, even while its source is silent', async () => {
    const end = new AbortController()
    async function* pieces() {
      for (let number = 0; number < 20; number++) yield mebibyte
      end.abort()
      await new Promise(() => undefined)
    }
    const attempt = bucket().write('given up', pieces(), end.signal)
    await expect(attempt).rejects.toMatchObject({ reason: 'unreachable' })
    expect(await size('given up')).toBeUndefined()
    expect(await unfinished()).toEqual([])
  })

  test('a write does not create a missing bucket, and rejects keys that lead elsewhere', async () => {
    const there = missing().write('a.txt', bytesOf('a'), signal)
    await expect(there).rejects.toMatchObject({ reason: 'not_found' })
    expect(await missing().probe('', signal)).toBe('not_found')
    for (const key of ['../a', 'a/../../b', './a', 'a/..']) {
      const attempt = bucket().write(key, bytesOf('a'), signal)
      await expect(attempt, key).rejects.toMatchObject({ reason: 'bad_key' })
    }
  })
}

function replacing({ bucket }: Given) {
  const text = async (key: string) =>
    (await readAllBytes(bucket().read(key, {}, signal))).toString()

  test.each([
    ['nothing', 0],
    ['a little', 1],
    ['some parts', 20],
  ])(
    'a write whose source breaks off after %s leaves the former object in place',
    async (_, count) => {
      const key = 'written/before.txt'
      await bucket().write(key, bytesOf('of before'), signal)
      async function* pieces() {
        for (let number = 0; number < count; number++) yield mebibyte
        throw new Error('the source has an end')
      }
      await expect(bucket().write(key, pieces(), signal)).rejects.toThrow('an end')
      expect(await text(key)).toBe('of before')
    },
  )

  test('an aborted write leaves the former object in place', async () => {
    const key = 'written/before.txt'
    await bucket().write(key, bytesOf('of before'), signal)
    const end = new AbortController()
    async function* pieces() {
      for (let number = 0; number < 9; number++) yield mebibyte
      end.abort()
      await new Promise(() => undefined)
    }
    const attempt = bucket().write(key, pieces(), end.signal)
    await expect(attempt).rejects.toMatchObject({ reason: 'unreachable' })
    expect(await text(key)).toBe('of before')
  })
}
