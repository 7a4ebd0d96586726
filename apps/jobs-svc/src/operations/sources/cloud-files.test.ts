import { describe, expect, test } from 'vitest'
import { readMediaBytes } from '../../media/media-bytes.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { withBuckets } from '../../storage/with-buckets.ts'
import { createPreparation, picture, zipFiles } from '../../testing/prepare.ts'
import { storageOf } from '../../testing/storages.ts'

/** Files of cloud storages. */

const { blobs, services, prepare: run } = await createPreparation()
const small = await picture(8, 6)
const line = (name: string, more: object = {}) =>
  JSON.stringify({ name, extension: '.jpg', width: 640, height: 480, ...more })
const manifestOf = (...lines: string[]) =>
  Buffer.from(['{"version":"1.1"}', '{"type":"images"}', ...lines].join('\n'))

const objects = {
  'b.jpg': small,
  'a.jpg': small,
  'street/': new Uint8Array(),
  'street/1.jpg': small,
  'street/10.jpg': small,
  'street/night/2 ü.jpg': small,
  'street/notes.txt': Buffer.from('no picture'),
  'set/manifest.jsonl': manifestOf(line('z'), line('y'), line('x')),
  'set/x.jpg': small,
  'set/y.jpg': small,
  'set/z.jpg': small,
  'all.zip': await zipFiles({ 'in/a.jpg': small }),
}
type Params = Parameters<typeof run>[0]

async function prepare(params: Params, given: Record<string, Uint8Array> = objects) {
  const { storages, read, listed } = storageOf(given, 2)
  const asked = { cloud_storage_id: 9, ...params }
  const done = await run(asked, { services: { ...services, storages } })
  return { ...done, storages, read, listed }
}

test('keys and folders become frames that stay in the bucket', async () => {
  const { frames, names, query, storages, outcome } = await prepare({
    server_files: ['b.jpg', 'street/'],
  })
  const street = ['street/1.jpg', 'street/10.jpg', 'street/night/2 ü.jpg']
  expect(names).toEqual(['b.jpg', ...street])
  expect(query).toMatchObject({ storage: 'cloud_storage', cloud_storage_id: 9 })
  expect(frames[0]).toMatchObject({
    key: `bucket:1@${small.length}:b.jpg:`,
    width: 8,
    height: 6,
    offset: 0,
  })
  const store = withBuckets(blobs, storages)
  for (const frame of frames) expect(await gatherBytes(readMediaBytes(store, frame))).toEqual(small)
  expect(outcome.report).toMatchObject({
    entries: [{ reason: 'unknown file type', examples: [{ file: 'street/notes.txt' }] }],
  })
})

test.each([
  ['among pictures', ['a.jpg', 'street/notes.txt']],
  ['beside its folder', ['street/', 'street/notes.txt']],
  ['alone', ['street/notes.txt']],
])('a key that is not a picture and is named %s fails with its name', async (_, server_files) => {
  const message = 'server_files: street/notes.txt: this is no image, archive, video or PDF'
  await expect(prepare({ server_files })).rejects.toThrow(message)
  await expect(prepare({ server_files, copy_data: true })).rejects.toThrow(message)
})

test('excluded files and folders are left out', async () => {
  const { names } = await prepare({
    server_files: ['b.jpg', 'street/'],
    server_files_exclude: ['street/night/', 'street/1.jpg'],
  })
  expect(names).toEqual(['b.jpg', 'street/10.jpg'])
})

test('files keep the order in which they were named', async () => {
  const { names } = await prepare({
    server_files: ['street/', 'b.jpg', 'a.jpg'],
    server_files_exclude: ['street/night/', 'street/notes.txt'],
    sorting_method: 'predefined',
  })
  expect(names).toEqual(['street/1.jpg', 'street/10.jpg', 'b.jpg', 'a.jpg'])
})

test('a pattern without files selects all matching keys', async () => {
  const { names } = await prepare({ filename_pattern: 'street/*1*.jpg' })
  expect(names).toEqual(['street/1.jpg', 'street/10.jpg'])
})

test('copies are owned by the task', async () => {
  const { frames, query, work } = await prepare({ server_files: ['a.jpg'], copy_data: true })
  expect(query).not.toHaveProperty('storage')
  expect(frames[0]?.key).toBe(`${work.input_key}made-1/cloud-0`)
  for (const frame of frames) expect(await gatherBytes(readMediaBytes(blobs, frame))).toEqual(small)
})

test('an archive is fetched', async () => {
  const { frames, names, query, work } = await prepare({ server_files: ['all.zip'] })
  expect([names, frames[0]?.key]).toEqual([['in/a.jpg'], `${work.input_key}made-1/fetched-0`])
  expect(query).not.toHaveProperty('storage')
})

describe('a manifest', () => {
  const manifest = 'set/manifest.jsonl'
  const own = { sorting_method: 'predefined' as const }

  test('without other files selects all files that it lists, and none is opened', async () => {
    const { frames, names, read } = await prepare({ server_files: [manifest], ...own })
    expect(names).toEqual(['set/z.jpg', 'set/y.jpg', 'set/x.jpg'])
    expect(frames[0]).toMatchObject({ width: 640, height: 480, media_type: 'image/jpeg' })
    expect(frames[0]?.length).toBe(small.length)
    expect(new Set(read)).toEqual(new Set([manifest]))
  })

  test('is filtered by a pattern', async () => {
    const { names } = await prepare({
      server_files: [manifest],
      filename_pattern: '*[xz].jpg',
      ...own,
    })
    expect(names).toEqual(['set/z.jpg', 'set/x.jpg'])
  })

  test('gives sizes and order to some of its files', async () => {
    const server_files = ['set/x.jpg', manifest, 'set/z.jpg']
    const { names, read } = await prepare({ server_files, ...own })
    expect(names).toEqual(['set/z.jpg', 'set/x.jpg'])
    expect(new Set(read)).toEqual(new Set([manifest]))
  })

  test('adds the context images of its frames', async () => {
    const given = {
      'm.jsonl': manifestOf(line('a', { meta: { related_images: ['side/left.png'] } })),
      'a.jpg': small,
      'side/left.png': small,
    }
    const { frames, read } = await prepare({ server_files: ['m.jsonl'] }, given)
    expect(frames).toHaveLength(1)
    expect(frames[0]?.related?.files).toMatchObject([
      {
        name: 'side/left.png',
        key: `bucket:1@${small.length}:side/left.png:`,
        media_type: 'image/png',
      },
    ])
    expect(new Set(read)).toEqual(new Set(['m.jsonl']))
  })

  test('that lists a missing file is refused with its name', async () => {
    const given = { 'm.jsonl': manifestOf(line('gone')) }
    await expect(prepare({ server_files: ['m.jsonl'] }, given)).rejects.toThrow(
      "The manifest lists 'gone.jpg', which is not in the cloud storage",
    )
  })

  describe('among several .jsonl files of a folder', () => {
    const first = manifestOf(line('z'), line('y'))
    const second = manifestOf(line('y'), line('z'))
    const folder = { 'd/1.jsonl': first, 'd/2.jsonl': second, 'd/y.jpg': small, 'd/z.jpg': small }
    const reportOf = async (server_files: string[], given: Record<string, Uint8Array> = folder) => {
      const { names, outcome } = await prepare({ server_files, ...own }, given)
      return { names, others: outcome.report?.entries.map(({ reason, count }) => [reason, count]) }
    }

    test.each([
      ['does not apply unless it is named', ['d/'], ['d/y.jpg', 'd/z.jpg'], 2],
      ['applies where it is named', ['d/', 'd/1.jsonl'], ['d/z.jpg', 'd/y.jpg'], 1],
      ['applies where another one is named', ['d/2.jsonl', 'd/'], ['d/y.jpg', 'd/z.jpg'], 1],
    ])('%s', async (_, server_files, expected, count) => {
      const { names, others } = await reportOf(server_files)
      expect(names).toEqual(expected)
      expect(others).toEqual([['one of several manifests', count]])
    })

    test('applies when it is the only one', async () => {
      const { 'd/2.jsonl': _, ...only } = folder
      expect(await reportOf(['d/'], only)).toEqual({ names: ['d/z.jpg', 'd/y.jpg'], others: [] })
    })

    test('is refused when several are named', async () => {
      await expect(reportOf(['d/', 'd/1.jsonl', 'd/2.jsonl'])).rejects.toThrow(
        'Only one manifest (*.jsonl) can be used, but there are 2',
      )
    })
  })

  test('with many files needs few calls', async () => {
    const many = Array.from({ length: 60 }, (_, index) => `f${index}`)
    const given = Object.fromEntries(many.map((name) => [`d/${name}.jpg`, small]))
    const lines = many.map((name) => line(name))
    const { storages, listed } = storageOf({ ...given, 'd/m.jsonl': manifestOf(...lines) })
    const params = { cloud_storage_id: 9, server_files: ['d/m.jsonl'] }
    const { frames } = await run(params, { services: { ...services, storages } })
    expect(frames).toHaveLength(60)
    expect(listed).toEqual(['d/m.jsonl', 'd/f'])
  })
})

test.each(['none.jpg', 'none/'])('a missing path %s is named', async (path) => {
  await expect(prepare({ server_files: ['a.jpg', path] })).rejects.toThrow(
    `server_files: '${path}' is not in the cloud storage, or empty`,
  )
})

test('the number of listed files is limited', async () => {
  const { storages } = storageOf(objects)
  const limits = { entries: 2, bytes: 1e9, ratio: 200 }
  const params = { cloud_storage_id: 9, server_files: ['street/'] }
  const attempt = run(params, { limits, services: { ...services, storages } })
  await expect(attempt).rejects.toThrow('server_files: there are more than 2 files')
})

test.each([
  ['smaller', small.subarray(0, 100)],
  ['larger by a byte', Buffer.concat([small, Buffer.from('x')])],
  ['much larger', Buffer.concat([small, Buffer.alloc(200_000)])],
  ['empty', Buffer.alloc(0)],
])('a file that became %s fails with its name', async (_, bytes) => {
  const { frames } = await prepare({ server_files: ['a.jpg'] })
  const [frame = expect.fail('no frame')] = frames
  const { storages } = storageOf({ 'a.jpg': bytes })
  const read = gatherBytes(readMediaBytes(withBuckets(blobs, storages), frame))
  await expect(read).rejects.toMatchObject({
    kind: 'conflict',
    code: 'source_changed',
    message: expect.stringContaining('"a.jpg" of the cloud storage has changed'),
  })
})

test('a file that was prepared by an older version is read', async () => {
  const { storages } = storageOf({ 'a.jpg': small })
  const old = {
    key: 'bucket:1:a.jpg:',
    offset: 0,
    length: small.length,
    packing: 'stored' as const,
  }
  expect(await gatherBytes(readMediaBytes(withBuckets(blobs, storages), old))).toEqual(small)
})
