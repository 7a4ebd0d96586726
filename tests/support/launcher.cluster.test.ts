import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { markedFor } from './document-blocks.ts'
import { partSetting, parts } from './parts.ts'
import { root } from './root.ts'

/** The launcher of real servers, tested by the commands of its document. */

const self = 'tests/support/launcher.cluster.test.ts'
const [all = '', some = '', kept = '', restart = '', ...others] = markedFor(
  'deploy/local/README.md',
  self,
)
  .join('')
  .trimEnd()
  .split('\n')

/** Folder in which the commands run. */
const folder = mkdtempSync(join(tmpdir(), 'reticle-launcher-'))
symlinkSync(join(root, 'deploy'), join(folder, 'deploy'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = promisify(execFile)
const portOf = (address: string) => Number(address.split(':').at(-1))
const ports = () => ({
  kafka: portOf(partSetting('RETICLE_TEST_KAFKA_BROKERS')),
  minio: portOf(partSetting('RETICLE_TEST_S3_ENDPOINT')),
  postgres: portOf(new URL(partSetting('RETICLE_TEST_DATABASE_URL')).host),
})

test.each(['kafka', 'minio', 'postgres'] as const)(
  '%s listens on the same port again after it was stopped or killed',
  async (name) => {
    const port = ports()[name]
    onTestFinished(() => parts.start(name))
    expect(await listens(port)).toBe(true)
    await parts.stop(name)
    expect(await listens(port)).toBe(false)
    await parts.start(name)
    expect(await listens(port)).toBe(true)
    await parts.kill(name)
    // A child that the killed server had just forked still holds its port for a moment.
    await expect.poll(() => listens(port)).toBe(false)
    await parts.start(name)
    expect(await listens(port)).toBe(true)
  },
)

test('a restart keeps the data', async () => {
  await runQuery('create table kept_by_restart as select 7 as n')
  onTestFinished(() => runQuery('drop table kept_by_restart').then(() => undefined))
  await parts.restart('postgres')
  expect(await runQuery('select n from kept_by_restart')).toEqual([{ n: 7 }])
})

test('a paused server does not respond, and continues when it is resumed', async () => {
  await parts.pause('postgres')
  const answer = runQuery('select 1 as n')
  const silence = new Promise((resolve) => setTimeout(resolve, 300, 'silent'))
  expect(await Promise.race([answer, silence])).toBe('silent')
  await parts.resume('postgres')
  expect(await answer).toEqual([{ n: 1 }])
})

test('a launcher that was killed leaves no server behind', async () => {
  const launcher = up(some)
  const settings = await settingsOf(launcher)
  const both = ['RETICLE_TEST_S3_ENDPOINT', 'RETICLE_TEST_KAFKA_BROKERS'].map((name) =>
    portOf(settings[name] ?? ''),
  )
  for (const port of both) expect(await listens(port)).toBe(true)
  launcher.kill('SIGKILL')
  for (const port of both) await expect.poll(() => listens(port), { timeout: 60_000 }).toBe(false)
})

test('a launcher that receives a signal stops its servers and exits with 0', async () => {
  const launcher = up(all)
  const settings = await settingsOf(launcher)
  const ports = ['RETICLE_TEST_S3_ENDPOINT', 'RETICLE_TEST_KAFKA_BROKERS'].map((name) =>
    portOf(settings[name] ?? ''),
  )
  const database = Number(new URL(settings.RETICLE_TEST_DATABASE_URL ?? '').port)
  const env = { ...process.env, ...settings }
  await run('bash', ['-euc', restart.replace('curl', 'curl -sS --fail-with-body')], { env })
  for (const port of [...ports, database]) expect(await listens(port)).toBe(true)
  const exited = once(launcher, 'exit')
  launcher.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
  for (const port of [...ports, database]) expect(await listens(port)).toBe(false)
})

test('data and logs are stored in the documented folder', async () => {
  const launcher = up(kept)
  await settingsOf(launcher)
  const exited = once(launcher, 'exit')
  launcher.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
  expect(readdirSync(join(folder, 'somewhere'))).toEqual(
    expect.arrayContaining(['logs', 'postgres']),
  )
  expect(others).toEqual([])
})

test('without Java the launcher prints the reason and exits with 3', async () => {
  const launcher = up(some, { PATH: '/nowhere' })
  let output = ''
  launcher.stderr?.on('data', (piece) => (output += piece))
  expect(await once(launcher, 'close')).toEqual([3, null])
  expect(output).toBe('java is not installed: Java 17 or newer runs the Kafka broker.\n')
})

/** Starts a command line that begins with `node`. */
function up(line: string, env: Record<string, string> = {}): ChildProcess {
  const [, ...words] = line.replace(/ +#.*/, '').split(' ')
  const launcher = spawn(process.execPath, words, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => {
    if (launcher.exitCode === null) launcher.kill('SIGTERM')
  })
  return launcher
}

/** Returns the settings that a launcher prints once every server responds. */
async function settingsOf(launcher: ChildProcess): Promise<Record<string, string>> {
  let text = ''
  launcher.stdout?.on('data', (piece) => (text += piece))
  await expect.poll(() => text, { timeout: 60_000 }).toMatch(/^RETICLE_TEST_CONTROL=\S+\n/m)
  return Object.fromEntries(
    text.split('\n').map((line) => [line.replace(/=.*/, ''), line.replace(/^.*?=/, '')]),
  )
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

async function runQuery(text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: partSetting('RETICLE_TEST_DATABASE_URL') })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
