import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { blobContract } from './contract.ts'
import { diskBlobs } from './disk.ts'

const root = await mkdtemp(join(tmpdir(), 'reticle-blobs-'))
afterAll(() => rm(root, { recursive: true }))
const blobs = await diskBlobs(root)

blobContract('a disk', blobs)

async function* text(given: string) {
  yield Buffer.from(given)
}

test('a put that fails leaves no draft behind', async () => {
  async function* broken() {
    yield Buffer.from('half')
    throw new Error('source broke')
  }
  await expect(blobs.put('drafts/a', broken())).rejects.toThrow()
  expect(await readdir(join(root, '.drafts'))).toEqual([])
})

test('drafts that a crash left behind go at a later start; objects and what is being written stay', async () => {
  await blobs.put('kept/a', text('kept'))
  const old = new Date(Date.now() - 25 * 3_600_000)
  await writeFile(join(root, '.drafts', 'left'), 'half')
  await utimes(join(root, '.drafts', 'left'), old, old)
  async function* whileAnotherOpens() {
    yield Buffer.from('wri')
    await diskBlobs(root)
    yield Buffer.from('tten')
  }
  await blobs.put('kept/b', whileAnotherOpens())
  const again = await diskBlobs(root)
  expect(await readdir(join(root, '.drafts'))).toEqual([])
  expect((await again.stat('kept/a')).size).toBe(4)
  expect((await again.stat('kept/b')).size).toBe(7)
})

test('empty folders go with their last object, while others are put there', async () => {
  const churn = async (n: number) => {
    for (let round = 0; round < 20; round++) {
      await blobs.put(`churn/deep/${n}`, text('x'))
      await blobs.remove(`churn/deep/${n}`)
    }
  }
  await Promise.all([1, 2, 3, 4].map(churn))
  expect(await readdir(root)).not.toContain('churn')
})
