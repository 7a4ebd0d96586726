import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { closeToOthers } from './private-files.ts'

const root = await mkdtemp(join(tmpdir(), 'reticle-private-'))
afterAll(() => rm(root, { recursive: true }))

let count = 0
/** Creates a data directory as left by an earlier version or a copy: folders and files with these modes. */
async function dataDirOf(modes: Readonly<Record<string, number>>) {
  const dataDir = join(root, `data-${count++}`)
  await mkdir(dataDir)
  for (const name of Object.keys(modes)) {
    const path = join(dataDir, name)
    if (name.endsWith('/')) await mkdir(path, { recursive: true })
    else await writeFile(path, 'x')
  }
  for (const [name, mode] of Object.entries(modes)) await chmod(join(dataDir, name), mode)
  const modeOf = async (name: string) => (await stat(join(dataDir, name))).mode & 0o777
  return { dataDir, modeOf }
}

test.each([
  ['0755 and 0644', 0o755, 0o644],
  ['0775 and 0664', 0o775, 0o664],
  ['0777 and 0666', 0o777, 0o666],
  ['0750 and 0640', 0o750, 0o640],
])('objects of an earlier version with modes %s are closed', async (_, folder, file) => {
  const { dataDir, modeOf } = await dataDirOf({
    'objects/': folder,
    'objects/.drafts/': folder,
    'objects/requests/': folder,
    'objects/requests/closed/': 0o700,
    'objects/requests/a': file,
    'objects/requests/closed/b': file,
    'objects/.drafts/c': file,
  })
  await closeToOthers(dataDir)
  for (const name of [
    'objects/',
    'objects/.drafts/',
    'objects/requests/',
    'objects/requests/closed/',
  ])
    expect(await modeOf(name), name).toBe(0o700)
  for (const name of ['objects/requests/a', 'objects/requests/closed/b', 'objects/.drafts/c'])
    expect(await modeOf(name), name).toBe(0o600)
})

test('open secrets and mails from a copy are closed to other accounts', async () => {
  const secrets = ['admin-password', 'postgres-password', 'installation-key', 'secret-keys']
  const { dataDir, modeOf } = await dataDirOf({
    ...Object.fromEntries(secrets.map((name) => [name, 0o644])),
    ...{ unfinished: 0o664, 'mail/': 0o755, 'mail/1.eml': 0o644, lock: 0o644, 'postgres/': 0o700 },
  })
  await closeToOthers(dataDir)
  for (const name of [...secrets, 'unfinished', 'mail/1.eml'])
    expect(await modeOf(name)).toBe(0o600)
  expect([await modeOf('mail/'), await modeOf('lock')]).toEqual([0o700, 0o644])
})

test('objects on another disk are closed there, and links out of them are not followed', async () => {
  const { dataDir: disk, modeOf } = await dataDirOf({ 'o/': 0o755, 'o/a': 0o644, other: 0o644 })
  const { dataDir } = await dataDirOf({})
  await symlink(join(disk, 'o'), join(dataDir, 'objects'))
  await symlink(join(disk, 'other'), join(disk, 'o/link'))
  await closeToOthers(dataDir)
  expect([await modeOf('o/'), await modeOf('o/a'), await modeOf('other')]).toEqual([
    0o700, 0o600, 0o644,
  ])
})

test('a data directory without private files is unchanged', async () => {
  const { dataDir } = await dataDirOf({ 'postgres/': 0o755 })
  const before = (await stat(dataDir)).mode
  await closeToOthers(dataDir)
  expect((await stat(dataDir)).mode).toBe(before)
  expect((await stat(join(dataDir, 'postgres'))).mode & 0o777).toBe(0o755)
})
