import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callAs } from '@reticle/kit/testing/call'
import { afterAll, expect, test } from 'vitest'
import { familyOf } from './folder.ts'
import { shareHandlers } from './rpc.ts'

/** Listing of the file share: `GET /server/share`. */

const outside = await mkdtemp(join(tmpdir(), 'reticle-share-'))
afterAll(() => rm(outside, { recursive: true, force: true }))
const root = join(outside, 'share')
await mkdir(join(root, 'street/night'), { recursive: true })
await mkdir(join(root, 'beach'))
for (const name of ['b.JPG', 'a.png', 'clip.mp4', 'all.zip', 'paper.pdf', 'notes', '.jpg'])
  await writeFile(join(root, name), '')
await writeFile(join(outside, 'secret.png'), '')
await writeFile(join(root, 'street/one.png'), '')
await symlink(join(outside, 'secret.png'), join(root, 'out.png'))
await symlink(outside, join(root, 'out'))
await symlink(join(root, 'street'), join(root, 'way'))
await symlink(join(root, 'nowhere'), join(root, 'broken'))

const { readShare } = shareHandlers({ root })
const anna = callAs({ user_id: 3, role: 'user' })
const names = async (directory?: string, search?: string) =>
  (await readShare({ directory, search }, anna)).entries.map(({ name }) => name)
const refused = { kind: 'invalid', body: [expect.stringContaining('is an invalid directory')] }

test('folders come first, then files, each by name', async () => {
  const { entries } = await readShare({}, anna)
  expect(entries).toEqual([
    { name: 'beach', type: 'DIR', mime_type: 'DIR' },
    { name: 'street', type: 'DIR', mime_type: 'DIR' },
    { name: 'way', type: 'DIR', mime_type: 'DIR' },
    { name: '.jpg', type: 'REG', mime_type: 'unknown' },
    { name: 'a.png', type: 'REG', mime_type: 'image' },
    { name: 'all.zip', type: 'REG', mime_type: 'archive' },
    { name: 'b.JPG', type: 'REG', mime_type: 'image' },
    { name: 'clip.mp4', type: 'REG', mime_type: 'video' },
    { name: 'notes', type: 'REG', mime_type: 'unknown' },
    { name: 'paper.pdf', type: 'REG', mime_type: 'pdf' },
  ])
})

test.each([
  ['street', ['night', 'one.png']],
  ['/street/', ['night', 'one.png']],
  ['/way', ['night', 'one.png']],
  ['street/../beach', []],
])('the folder %s is read', async (directory, expected) => {
  expect(await names(directory)).toEqual(expected)
})

test('a search matches the start of a name', async () => {
  expect(await names('/', 'a')).toEqual(['a.png', 'all.zip'])
  expect(await names('street', 'one.')).toEqual(['one.png'])
  expect(await names('/', 'png')).toEqual([])
})

test.each([
  '..',
  '../../..',
  '/street/../../',
  'out',
  'nosuch',
  'a.png',
  'broken',
  '/etc',
  'x'.repeat(4000),
])('%s is not a folder of the share', async (directory) => {
  await expect(names(directory)).rejects.toMatchObject(refused)
})

test('a sibling folder whose name starts with that of the share is outside', async () => {
  await mkdir(`${root}-of-others`)
  await expect(names('../share-of-others')).rejects.toMatchObject(refused)
})

test('listing requires the global role user or higher', async () => {
  for (const role of ['worker', null] as const)
    await expect(readShare({}, callAs({ user_id: 3, role }))).rejects.toMatchObject({
      kind: 'forbidden',
    })
})

test('without a share the listing is empty', async () => {
  expect(await shareHandlers({}).readShare({ directory: 'x' }, anna)).toEqual({ entries: [] })
})

test('an unmounted share is an error, not an empty listing', async () => {
  const gone = shareHandlers({ root: join(outside, 'gone') })
  await expect(gone.readShare({}, anna)).rejects.toMatchObject({ kind: 'unavailable' })
})

test.each([
  ['x.tar.gz', 'archive'],
  ['x.JPEG', 'image'],
  ['x.', 'unknown'],
])('%s counts as %s', (name, family) => {
  expect(familyOf(name)).toBe(family)
})
