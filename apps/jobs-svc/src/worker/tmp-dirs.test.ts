import { chown, mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeAbandonedDirs } from './tmp-dirs.ts'

const nobody = 65_534

test('old folders of requests are removed; recent and foreign ones stay', async () => {
  const root = await folder()
  await leave(root, 'reticle-request-old', new Date('2020-01-01'))
  await leave(root, 'reticle-request-new', new Date())
  await leave(root, 'not-ours', new Date('2020-01-01'))

  await removeAbandonedDirs(root)

  expect((await readdir(root)).sort()).toEqual(['not-ours', 'reticle-request-new'])
})

test.skipIf(process.getuid?.() !== 0)('what another account left is not touched', async () => {
  const root = await folder()
  await leave(root, 'reticle-request-theirs', new Date('2020-01-01'))
  await chown(join(root, 'reticle-request-theirs'), nobody, nobody)

  await removeAbandonedDirs(root)

  expect(await readdir(root)).toEqual(['reticle-request-theirs'])
})

async function folder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'reticle-left-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  return root
}

async function leave(root: string, name: string, at: Date): Promise<void> {
  await mkdir(join(root, name))
  await utimes(join(root, name), at, at)
}
