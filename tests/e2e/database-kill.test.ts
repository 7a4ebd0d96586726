import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killDatabase } from '@reticle/kit/bus/testing/database-kills'
import { isFullRun } from '@reticle/kit/testing/config'
import { recordScore } from '@reticle/kit/testing/scores'
import { startPostgres } from '@reticle/standalone/postgres/server'
import { expect, onTestFinished, test } from 'vitest'

/** T-BUS-4: the embedded PostgreSQL with its default settings. See docs/spec/reliability.md#postgresql. */
test('no acknowledged transaction is missing after the database was killed', {
  timeout: 900_000,
}, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'reticle-killed-'))
  await chmod(dataDir, 0o755)
  let stop = async () => {}
  onTestFinished(async () => {
    await stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const start = async () => {
    const server = await startPostgres({ dataDir })
    stop = server.stop
    return server.url
  }
  const kill = async () => {
    const note = await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')
    process.kill(Number(note.split('\n')[0]), 'SIGKILL')
  }
  const kills = isFullRun() ? 50 : 5
  const seen = await killDatabase({ start, kill, kills })
  const { acknowledged, missing, doubled } = seen
  recordScore({
    ...{ id: 'T-BUS-4', on: 'the embedded PostgreSQL', seen: `${missing} / ${doubled}` },
    count: `${kills} kills, ${acknowledged} transactions`,
    holds: missing + doubled === 0,
  })
  expect(seen).toMatchObject({ kills, missing: 0, doubled: 0 })
  expect(acknowledged).toBeGreaterThan(50 * kills)
})
