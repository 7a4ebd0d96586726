import type { Bucket } from '@reticle/kit/bucket/bucket'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { describe, expect, test } from 'vitest'
import { type BucketView, type ContentQuery, listContent } from './content.ts'
import { findImage } from './preview.ts'

/** Content listing and preview on a fake bucket that is a list of keys. */

const { signal } = new AbortController()

function bucketOf(objects: Record<string, string>, prefixes: string[] = []): Bucket {
  const refuse = async () => {
    throw new Error('nobody asks for that here')
  }
  return {
    probe: refuse,
    files: refuse,
    exists: refuse,
    canWrite: refuse,
    write: refuse,
    list: async ({ prefix, size, token = '0' }) => {
      prefixes.push(prefix)
      const below = Object.keys(objects).filter((key) => key.startsWith(prefix))
      const end = (key: string) => key.indexOf('/', prefix.length) + 1
      const all = [...new Set(below.map((key) => key.slice(0, end(key) || undefined)))].sort()
      const page = all.slice(Number(token), Number(token) + size)
      const isFolder = (key: string) => key.endsWith('/') && key !== prefix
      return {
        directories: page.filter(isFolder),
        keys: page.filter((key) => !isFolder(key)),
        next: Number(token) + size < all.length ? String(Number(token) + size) : null,
      }
    },
    read: (key) => bytesOf(objects[key] ?? ''),
  }
}

const line = (name: string, extension = '.jpg') => JSON.stringify({ name, extension })
const manifest = [
  '{"version":"1.1"}',
  '{"type":"images"}',
  line('b/2'),
  line('1'),
  line('b/3'),
  line('z', '.png'),
].join('\n')
const objects = {
  'readme.txt': '',
  '2026/': '',
  '2026/manifest.jsonl': manifest,
  '2026/a.jpg': '',
  '2026/b/1.jpg': '',
  '2026/b/c/1.mp4': '',
  '2025/x.zip': '',
}
const all: BucketView = { prefix: '', manifests: [] }
const list = (wanted: ContentQuery, shown = all) =>
  listContent(bucketOf(objects), shown, wanted, signal)
const names = async (wanted: ContentQuery, shown = all) => {
  const { content } = await list(wanted, shown)
  return content.map(({ name, type }) => `${name}${type === 'DIR' ? '/' : ''}`)
}

describe('the content of a storage', () => {
  test('lists one level, folders first, with the type of each file', async () => {
    expect(await list({})).toEqual({
      content: [
        { name: '2025', type: 'DIR', mime_type: 'DIR' },
        { name: '2026', type: 'DIR', mime_type: 'DIR' },
        { name: 'readme.txt', type: 'REG', mime_type: 'unknown' },
      ],
      next: null,
    })
    expect(await names({ prefix: '2026/' })).toEqual(['b/', 'a.jpg', 'manifest.jsonl'])
    expect(await names({ prefix: '2026/a' })).toEqual(['a.jpg'])
    expect(await names({ prefix: '2026/b' })).toEqual(['b/'])
  })

  test('is paged', async () => {
    const first = await list({ prefix: '2026/', page_size: 2 })
    expect(first.content.length).toBeLessThanOrEqual(2)
    const rest = await list({ prefix: '2026/', page_size: 9, next_token: first.next ?? '' })
    expect(rest.next).toBeNull()
    expect([...first.content, ...rest.content].map(({ name }) => name).sort()).toEqual([
      'a.jpg',
      'b',
      'manifest.jsonl',
    ])
  })

  test('is limited to the prefix of the storage', async () => {
    const shown = { prefix: '2026/b/', manifests: [] }
    expect(await names({}, shown)).toEqual(['c/', '1.jpg'])
    expect(await names({ prefix: '2026/b/c/' }, shown)).toEqual(['1.mp4'])
    expect(await names({ prefix: '2026/' }, shown)).toEqual(['b/'])
    expect(await names({ prefix: '20' }, shown)).toEqual(['2026/'])
    expect(await names({ prefix: '2025/' }, shown)).toEqual([])
  })

  test('of a manifest lists the entries of the manifest', async () => {
    const shown = { prefix: '', manifests: ['2026/manifest.jsonl'] }
    const manifest_path = '2026/manifest.jsonl'
    expect(await names({ manifest_path }, shown)).toEqual(['2026/'])
    expect(await names({ manifest_path, prefix: '2026/' }, shown)).toEqual(['b/', '1.jpg', 'z.png'])
    const page = await list({ manifest_path, prefix: '2026/', page_size: 2 }, shown)
    expect(page).toMatchObject({ content: [{ name: 'b' }, { name: '1.jpg' }], next: '2' })
    const rest = await list({ manifest_path, prefix: '2026/', next_token: '2' }, shown)
    expect(rest).toMatchObject({ content: [{ name: 'z.png' }], next: null })
  })

  test.each([
    ['a manifest of somebody else', { manifest_path: '2025/x.zip' }, 'manifest_path'],
    ['a manifest that is none', { manifest_path: 'readme.txt' }, 'manifest_path'],
    ['a token', { manifest_path: '2026/manifest.jsonl', next_token: 'x' }, 'next_token'],
  ])('%s is rejected', async (_, wanted, field) => {
    const bucket = bucketOf({ ...objects, 'readme.txt': 'no manifest' })
    const shown = { prefix: '', manifests: ['2026/manifest.jsonl', 'readme.txt'] }
    const attempt = listContent(bucket, shown, wanted, signal)
    await expect(attempt).rejects.toMatchObject({
      kind: 'invalid',
      body: { [field]: [expect.any(String)] },
    })
  })
})

describe('the image of a preview', () => {
  const find = (given: Record<string, string>, shown = all) =>
    findImage(bucketOf(given), shown, signal)

  test('is the first image of a manifest', async () => {
    const shown = { prefix: '', manifests: ['2026/manifest.jsonl'] }
    expect(await find(objects, shown)).toBe('2026/b/2.jpg')
  })

  test('is the image nearest to the prefix of the storage', async () => {
    expect(await find(objects)).toBe('2026/a.jpg')
    expect(await find(objects, { prefix: '2026/b/', manifests: [] })).toBe('2026/b/1.jpg')
  })

  test('is not found after a limited number of pages', async () => {
    await expect(find({ 'a.txt': '' })).rejects.toMatchObject({ kind: 'not_found' })
    const prefixes: string[] = []
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${at}/a.txt`, '']))
    const attempt = findImage(bucketOf(many, prefixes), all, signal)
    await expect(attempt).rejects.toMatchObject({ kind: 'not_found' })
    expect(prefixes.length).toBe(20)
  })
})
