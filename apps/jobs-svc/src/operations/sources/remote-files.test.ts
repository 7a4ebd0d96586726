import { openDownloads } from '@reticle/kit/outgoing/download'
import { readNets } from '@reticle/kit/outgoing/guard'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { readMediaBytes } from '../../media/media-bytes.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { createPreparation, picture, zipFiles } from '../../testing/prepare.ts'
import { uploadFile } from '../../testing/run.ts'

/** Files from other servers. */

const { blobs, attached, prepare } = await createPreparation()
const there = await startReceiver()
afterAll(there.close)
const small = await picture(8, 6)
const archive = await zipFiles({ 'in/a.jpg': small })
beforeEach(() => {
  attached.length = 0
  there.received.length = 0
  there.answer(({ path }) => {
    if (path.startsWith('/missing')) return { status: 404 }
    if (path.startsWith('/busy')) return { status: 503 }
    if (path.startsWith('/moved')) return { status: 302, headers: { location: '/b.jpg' } }
    return { body: path.endsWith('.zip') ? archive : small }
  })
})

const allowed = {
  openDownloads: () =>
    openDownloads({ nets: readNets(['127.0.0.0/8']), allowHttp: true, maxBytes: 100_000 }),
}
const from = (...paths: string[]) => ({ remote_files: paths.map((path) => `${there.url}${path}`) })
const inOrder = { sorting_method: 'predefined' } as const

test('remote files are fetched, named by the last part of their address, and owned by the task', async () => {
  const paths = ['/c.jpg?key=secret', '/a%20b.jpg', '/moved/d.jpg', '/x/e.jpg', '/f.jpg', '/']
  const { frames, names, work, run } = await prepare({ ...from(...paths), ...inOrder }, allowed)
  expect(names).toEqual(['c.jpg', 'a b.jpg', 'd.jpg', 'e.jpg', 'f.jpg', 'file'])
  const keys = frames.map(({ key }) => key)
  expect(keys).toEqual(paths.map((_, index) => `${work.input_key}made-1/remote-${index}`))
  for (const frame of frames) expect(await gatherBytes(readMediaBytes(blobs, frame))).toEqual(small)
  expect(run.stages).toEqual([
    'Reading images',
    'Fetching files',
    'Reading images',
    'final',
    'Creating jobs',
  ])
})

test('a very long name is cut at its start', async () => {
  const { names } = await prepare(from(`/${'x'.repeat(500)}.jpg`), allowed)
  expect(names).toEqual([`${'x'.repeat(251)}.jpg`])
})

test('a remote file may be an archive', async () => {
  expect((await prepare(from('/all.zip'), allowed)).names).toEqual(['in/a.jpg'])
})

test('a missing remote file fails the request with its address and the status', async () => {
  await expect(prepare(from('/a.jpg', '/missing.jpg?key=secret'), allowed)).rejects.toMatchObject({
    name: 'Error',
    message: `${there.url}/missing.jpg could not be fetched: the answer was 404`,
  })
  expect(attached).toEqual([])
})

test('a remote file that may become available is requested again', async () => {
  await expect(prepare(from('/busy.jpg'), allowed)).rejects.toMatchObject({
    kind: 'unavailable',
    message: `${there.url}/busy.jpg could not be fetched: the answer was 503`,
  })
})

test('an internal address is not requested', async () => {
  await expect(prepare(from('/a.jpg'))).rejects.toThrow(
    `${there.url}/a.jpg could not be fetched: target address is not allowed`,
  )
  expect(there.received).toEqual([])
})

test.each([
  ['in their query', ['/photo?id=1', '/photo?id=2'], ['photo', 'photo_2']],
  ['in their folder', ['/a.jpg', '/x/a.jpg', '/y/a.jpg'], ['a.jpg', 'a_2.jpg', 'a_3.jpg']],
  ['in nothing', ['/a.jpg', '/a.jpg'], ['a.jpg', 'a_2.jpg']],
  ['in how they are written', ['/a%62.jpg', '/ab.jpg'], ['ab.jpg', 'ab_2.jpg']],
  ['in nothing that a name is made of', ['/', '/x/', '/?id=3'], ['file', 'file_2', 'file_3']],
  [
    'in their query, beside one that is called so',
    ['/a.jpg?n=1', '/a.jpg?n=2', '/a_2.jpg'],
    ['a.jpg', 'a_3.jpg', 'a_2.jpg'],
  ],
])('addresses that differ only %s are separate frames', async (_, paths, expected) => {
  const { names, frames } = await prepare({ ...from(...paths), ...inOrder }, allowed)
  expect(names).toEqual(expected)
  expect(new Set(frames.map(({ key }) => key)).size).toBe(paths.length)
})

test('a remote file with the name of an uploaded one is another frame', async () => {
  const files = [await uploadFile(blobs, 'a.jpg', small)]
  const { names } = await prepare({ files, ...from('/a.jpg'), ...inOrder }, allowed)
  expect(names).toEqual(['a.jpg', 'a_2.jpg'])
})

const page = '<!DOCTYPE html><html>please sign in</html>'
test.each([
  ['a page', page, 'web pages are not read'],
  ['a text', 'no picture', 'this is no image, archive, video or PDF'],
  ['nothing at all', '', 'this is no image, archive, video or PDF'],
  ['the beginning of a picture', small.subarray(0, 20), 'the image cannot be read'],
])('%s in place of a picture fails with its address', async (_, body, message) => {
  there.answer(({ path }) => ({ body: path.startsWith('/login') ? body : small }))
  const asked = { ...from('/a.jpg', '/login/b.jpg?key=secret', '/c.jpg'), ...inOrder }
  await expect(prepare(asked, allowed)).rejects.toMatchObject({
    name: 'Error',
    message: expect.stringContaining(`remote_files[1]: ${there.url}/login/b.jpg: ${message}`),
  })
  const alone = prepare(from('/login/b.jpg'), allowed)
  await expect(alone).rejects.toThrow(`remote_files[0]: ${there.url}/login/b.jpg: ${message}`)
  expect(attached).toEqual([])
})

test('fetched files of a failed request are deleted', async () => {
  const before = await made()
  await expect(prepare(from('/a.jpg', '/missing.jpg'), allowed)).rejects.toThrow('404')
  expect(await made()).toEqual(before)
})

async function made(): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of blobs.list('requests/uploads')) found.push(key)
  return found
}
