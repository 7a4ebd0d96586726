import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { bytesOf } from '../testing/bytes.ts'
import { diskBlobs } from './disk.ts'
import { blobContract } from './testing/contract.ts'

const root = await mkdtemp(join(tmpdir(), 'reticle-blobs-'))
afterAll(() => rm(root, { recursive: true }))
const blobs = await diskBlobs(root)

blobContract('a disk', blobs)

test.each([0o000, 0o002, 0o022, 0o027])(
  'with the umask %i, files and folders are accessible to their owner only',
  async (umask) => {
    const before = process.umask(umask)
    const folder = join(root, `modes-${umask}`)
    const modeOf = async (path: string) => (await stat(join(folder, path))).mode & 0o777
    const steps = { isDue: () => true, onStored: () => undefined }
    try {
      const own = await diskBlobs(folder)
      await own.put('a/b/whole', bytesOf('x'))
      await own.putInSteps('a/c/steps', bytesOf('x'), steps)
      for (const path of ['', '.drafts', 'a', 'a/b', 'a/c']) expect(await modeOf(path)).toBe(0o700)
      for (const path of ['a/b/whole', 'a/c/steps']) expect(await modeOf(path)).toBe(0o600)
    } finally {
      process.umask(before)
    }
  },
)

test('a failed put leaves no draft behind', async () => {
  async function* broken() {
    yield Buffer.from('half')
    throw new Error('source broke')
  }
  await expect(blobs.put('drafts/a', broken())).rejects.toThrow()
  expect(await readdir(join(root, '.drafts'))).toEqual([])
})

test('a put that is aborted while its draft is being created leaves no draft behind', async () => {
  async function* silent(): AsyncGenerator<Uint8Array> {
    await new Promise(() => undefined)
  }
  const attempts = Array.from({ length: 100 }, async (_, n) => {
    const abort = new AbortController()
    const attempt = blobs.put(`drafts/${n}`, silent(), { signal: abort.signal })
    setImmediate(() => abort.abort(new Error('enough')))
    await expect(attempt).rejects.toThrow('enough')
  })
  await Promise.all(attempts)
  expect(await readdir(join(root, '.drafts'))).toEqual([])
})

test('a put onto a full disk is unavailable, and the former object stays', async () => {
  await blobs.put('full/a', bytesOf('old'))
  async function* beyond() {
    yield Buffer.from('half')
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  await expect(blobs.put('full/a', beyond())).rejects.toMatchObject({
    kind: 'unavailable',
    retry_after: 60,
  })
  expect((await blobs.stat('full/a')).size).toBe(3)
  expect(await readdir(join(root, '.drafts'))).toEqual([])
})

test('old drafts of a crash are removed; objects and running puts are kept', async () => {
  await blobs.put('kept/a', bytesOf('kept'))
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  await writeFile(join(root, '.drafts', 'left'), 'half')
  await utimes(join(root, '.drafts', 'left'), hoursAgo(25), hoursAgo(25))
  async function* meanwhile() {
    yield Buffer.from('wri')
    expect(await blobs.removeUnfinished(hoursAgo(26))).toBe(0)
    expect(await blobs.removeUnfinished(hoursAgo(24))).toBe(1)
    yield Buffer.from('tten')
  }
  await blobs.put('kept/b', meanwhile())
  expect(await readdir(join(root, '.drafts'))).toEqual([])
  expect((await blobs.stat('kept/a')).size).toBe(4)
  expect((await blobs.stat('kept/b')).size).toBe(7)
})

test('empty folders are removed with their last object while other objects are written into them', async () => {
  const churn = async (n: number) => {
    for (let round = 0; round < 20; round++) {
      await blobs.put(`churn/deep/${n}`, bytesOf('x'))
      await blobs.remove(`churn/deep/${n}`)
    }
  }
  await Promise.all([1, 2, 3, 4].map(churn))
  expect(await readdir(root)).not.toContain('churn')
})
