import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { lockDataDir } from './lock.ts'

const root = await mkdtemp(join(tmpdir(), 'reticle-lock-'))
afterAll(() => rm(root, { recursive: true }))
let made = 0
const newDir = () => join(root, String(made++))

test('a second start on the same directory is refused with one sentence', async () => {
  const dir = newDir()
  const unlock = await lockDataDir(dir)
  await expect(lockDataDir(dir)).rejects.toThrow(
    `Reticle already runs on the data directory ${dir} (process ${process.pid}): stop it first, or choose another directory with RETICLE_DATA_DIR.`,
  )
  await unlock()
  await (await lockDataDir(dir))()
  expect(await readdir(dir)).toEqual([])
})

test('the lock of a dead process is taken over', async () => {
  const dir = newDir()
  await (await lockDataDir(dir))()
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  await writeFile(join(dir, 'lock'), JSON.stringify({ pid: child.pid, started: '1' }))
  const unlock = await lockDataDir(dir)
  expect(JSON.parse(await readFile(join(dir, 'lock'), 'utf8')).pid).toBe(process.pid)
  await unlock()
})

test('a process with the same id but another start time does not hold the lock', async () => {
  const dir = newDir()
  await (await lockDataDir(dir))()
  await writeFile(join(dir, 'lock'), JSON.stringify({ pid: process.pid, started: 'long ago' }))
  await (await lockDataDir(dir))()
})

test('an unreadable lock is taken over', async () => {
  const dir = newDir()
  await (await lockDataDir(dir))()
  await writeFile(join(dir, 'lock'), 'half')
  await (await lockDataDir(dir))()
})

test('of many concurrent starts with a dead holder one gets the lock', async () => {
  const dir = newDir()
  await (await lockDataDir(dir))()
  await writeFile(join(dir, 'lock'), JSON.stringify({ pid: 1, started: 'never' }))
  const starts = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dir)))
  expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await readdir(dir)).toEqual(['lock'])
})

test('a data directory that is not writable is an error with advice', async () => {
  const file = newDir()
  await writeFile(file, '')
  for (const path of [file, join(file, 'below')])
    await expect(lockDataDir(path)).rejects.toThrow(
      /^Nothing can be written to the data directory .*RETICLE_DATA_DIR/,
    )
})
