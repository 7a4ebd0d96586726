import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { readMediaBytes } from '../../media/media-bytes.ts'
import { filesBelow, withShare } from '../../storage/share/files.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { createPreparation, picture, zipFiles } from '../../testing/prepare.ts'
import { uploadFile } from '../../testing/run.ts'

/** Files of the mounted share. */

const { blobs, attached, prepare } = await createPreparation()
beforeEach(() => {
  attached.length = 0
})

const small = await picture(8, 6)
const outside = await mkdtemp(join(tmpdir(), 'reticle-share-'))
afterAll(() => rm(outside, { recursive: true, force: true }))
const shareDir = join(outside, 'share')
await mkdir(join(shareDir, 'street/night'), { recursive: true })
await mkdir(join(shareDir, 'empty'))
const pictures = ['b.jpg', 'a.jpg', 'street/1.jpg', 'street/night/2 ü.jpg', 'street/10.jpg']
for (const name of pictures) await writeFile(join(shareDir, name), small)
await writeFile(join(shareDir, 'street/notes.txt'), 'no picture')
await writeFile(join(shareDir, 'all.zip'), await zipFiles({ 'in/a.jpg': small }))
await writeFile(join(outside, 'secret.jpg'), small)
await symlink(join(outside, 'secret.jpg'), join(shareDir, 'out.jpg'))
await symlink(outside, join(shareDir, 'out'))
await symlink(join(shareDir, 'street'), join(shareDir, 'street/round'))
await symlink(join(shareDir, 'a.jpg'), join(shareDir, 'street/night/link.jpg'))

const street = ['street/1.jpg', 'street/10.jpg', 'street/night/2 ü.jpg', 'street/night/link.jpg']

test('files and folders become frames that stay on the share', async () => {
  const server_files = ['b.jpg', 'street/']
  const { frames, names, query, outcome } = await prepare({ server_files }, { shareDir })
  expect(names).toEqual(['b.jpg', ...street])
  expect(query).toMatchObject({ storage: 'share' })
  const key = expect.stringMatching(/^share@\d+\.\d+:b\.jpg:$/)
  expect(frames[0]).toMatchObject({ key, offset: 0, length: small.length })
  const shared = withShare(blobs, shareDir)
  for (const frame of frames)
    expect(await gatherBytes(readMediaBytes(shared, frame))).toEqual(small)
  expect(outcome.report).toMatchObject({
    entries: [{ reason: 'unknown file type', examples: [{ file: 'street/notes.txt' }] }],
  })
})

test('a folder needs no slash, and no file counts twice', async () => {
  const server_files = ['street/10.jpg', 'street', 'street/1.jpg']
  const { names } = await prepare({ server_files, sorting_method: 'predefined' }, { shareDir })
  expect(names).toEqual([street[1], street[0], ...street.slice(2)])
})

test('excluded files and folders are left out', async () => {
  const left = ['street/night/', 'street/1.jpg', 'b']
  const { names } = await prepare(
    { server_files: ['b.jpg', 'street/'], server_files_exclude: left },
    { shareDir },
  )
  expect(names).toEqual(['b.jpg', 'street/10.jpg'])
})

test('an archive of the share is read in place', async () => {
  const { frames, names } = await prepare({ server_files: ['all.zip'] }, { shareDir })
  expect(names).toEqual(['in/a.jpg'])
  expect(frames[0]?.key).toMatch(/^share@\d+\.\d+:all\.zip:$/)
})

test('copies are owned by the task', async () => {
  const { frames, query, work } = await prepare(
    { server_files: ['a.jpg', 'b.jpg'], copy_data: true },
    { shareDir },
  )
  expect(query).not.toHaveProperty('storage')
  expect(frames.map(({ key }) => key)).toEqual(
    [0, 1].map((index) => `${work.input_key}made-1/share-${index}`),
  )
  for (const frame of frames) expect(await gatherBytes(readMediaBytes(blobs, frame))).toEqual(small)
})

test('server files may be combined with uploaded files', async () => {
  const files = [await uploadFile(blobs, 'aa.jpg', small)]
  const { names } = await prepare({ files, server_files: ['a.jpg', 'b.jpg'] }, { shareDir })
  expect(names).toEqual(['a.jpg', 'aa.jpg', 'b.jpg'])
})

describe('a path that is not on the share is refused', () => {
  test.each(['nosuch.jpg', 'nosuch/', 'out.jpg', 'out/', 'out/secret.jpg', 'empty/'])(
    '%s',
    async (path) => {
      await expect(prepare({ server_files: [path] }, { shareDir })).rejects.toThrow(
        `server_files: '${path}' is not on the file share, or empty`,
      )
      expect(attached).toEqual([])
    },
  )

  test('every path, when no share is configured', async () => {
    await expect(prepare({ server_files: ['a.jpg'] })).rejects.toThrow('there is no file share')
  })

  test('an unmounted share is a transient error', async () => {
    const gone = prepare({ server_files: ['a.jpg'] }, { shareDir: join(outside, 'gone') })
    await expect(gone).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test.each(['../secret.jpg', 'out/secret.jpg', 'out.jpg', 'nosuch', 'street'])(
    '%s cannot be read from the share later',
    async (path) => {
      const attempt = withShare(blobs, shareDir).get(`share:${path}`)
      await expect(attempt).rejects.toMatchObject({ kind: 'not_found' })
      const unmounted = withShare(blobs, undefined).get('share:a.jpg')
      await expect(unmounted).rejects.toMatchObject({ kind: 'not_found' })
    },
  )
})

describe('a named file that is not a picture', () => {
  const message = 'server_files: street/notes.txt: this is no image, archive, video or PDF'

  test.each([
    ['alone', ['street/notes.txt']],
    ['among pictures', ['a.jpg', 'street/notes.txt', 'b.jpg']],
    ['beside its folder', ['street/', 'street/notes.txt']],
    ['before its folder', ['street/notes.txt', 'street']],
  ])('%s fails with its path', async (_, server_files) => {
    await expect(prepare({ server_files }, { shareDir })).rejects.toThrow(message)
    await expect(prepare({ server_files, copy_data: true }, { shareDir })).rejects.toThrow(message)
    expect(attached).toEqual([])
  })

  test('is left out when it is excluded or only its folder is named', async () => {
    const server_files = ['a.jpg', 'street/notes.txt']
    const left = { server_files_exclude: ['street/notes.txt'] }
    expect((await prepare({ server_files, ...left }, { shareDir })).names).toEqual(['a.jpg'])
    expect((await prepare({ server_files: ['street/'] }, { shareDir })).names).toEqual(street)
  })

  test('fails with its name when a mapping lists it', async () => {
    const job_file_mapping = [{ files: ['street/1.jpg'] }, { files: ['street/notes.txt'] }]
    const mapped = prepare({ server_files: ['street/'], job_file_mapping }, { shareDir })
    await expect(mapped).rejects.toThrow('job_file_mapping: street/notes.txt: this is no image')
  })
})

test('a file that is listed twice is one frame, and reported', async () => {
  const server_files = ['b.jpg', 'a.jpg', 'b.jpg']
  const { names, outcome } = await prepare({ server_files }, { shareDir })
  expect(names).toEqual(['a.jpg', 'b.jpg'])
  expect(outcome.report).toMatchObject({
    entries: [{ reason: 'listed twice in server_files', examples: [{ file: 'b.jpg' }] }],
  })
})

test('more files than the limit of an archive are refused', async () => {
  const limits = { entries: 3, bytes: 1, ratio: 1 }
  await expect(prepare({ server_files: ['street/'] }, { shareDir, limits })).rejects.toThrow(
    'there are more than 3 files',
  )
})

test('a part of a file is read', async () => {
  await writeFile(join(shareDir, 'ten.txt'), '0123456789')
  const shared = withShare(blobs, shareDir)
  const { size, chunks } = await shared.get('share:ten.txt', { start: 2, end: 4 })
  expect([size, String(await gatherBytes(chunks))]).toEqual([10, '234'])
  await expect(shared.get('share:ten.txt', { start: 10 })).rejects.toMatchObject({
    kind: 'invalid',
  })
})

test('circular links do not loop', async () => {
  const found: string[] = []
  for await (const { path } of filesBelow(shareDir, 'street')) found.push(path)
  expect(found).toEqual([...street.slice(0, 2), ...street.slice(2), 'street/notes.txt'])
})
