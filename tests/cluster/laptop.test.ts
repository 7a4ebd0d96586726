import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createApiClient } from '../support/client.ts'
import { markedFor } from '../support/document-blocks.ts'
import { basic, dataDirectory, password, root } from '../support/reticle.ts'

const run = promisify(execFile)

/** `npm run cluster` as the README describes it: a complete cluster with its own servers. */

const self = 'tests/cluster/laptop.test.ts'
const [line = ''] = markedFor('README.md', self)
const [, name = ''] = /^npm run (\w+)\n$/.exec(line) ?? []
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

test('a cluster on a laptop works, drains on Ctrl-C, and keeps its data', async () => {
  const { path, remove } = dataDirectory()
  onTestFinished(remove)

  const first = await start(path)
  const { id } = await first.api.done('POST', '/projects', { json: { name: 'kept' } })
  expect(await first.interrupt()).toBe(0)
  expect(readdirSync(join(path, 'logs'))).toEqual(
    expect.arrayContaining(['gateway-1.log', 'kafka.log', 'minio.log', 'postgres.log']),
  )

  const second = await start(path, '--gateways', '2')
  expect(second.output()).toContain('gateway-2')
  expect(await second.api.done('GET', `/projects/${id}`)).toMatchObject({ name: 'kept' })
  await expect(start(path)).rejects.toThrow('Reticle already runs on the data directory')
  expect(await second.interrupt()).toBe(0)
}, 420_000)

test('a killed database is reported and restarted, and operators get its address from a file', async () => {
  const { path, remove } = dataDirectory()
  onTestFinished(remove)
  const { api, output, interrupt } = await start(path)
  const [pid] = readFileSync(join(path, 'postgres/postgres/data/postmaster.pid'), 'utf8').split(
    '\n',
  )
  process.kill(Number(pid), 'SIGKILL')
  await expect.poll(output, { timeout: 60_000 }).toContain('postgres is ready again')
  expect(output()).toContain('postgres ended by itself (exit code 137) and is started again')
  const named = async () => (await api.done('POST', '/projects', { json: { name: 'after' } })).name
  await expect.poll(() => named().catch(() => ''), { timeout: 60_000 }).toBe('after')
  const [dead = ''] = markedFor('docs/operations.md', self)
  const { stdout } = await run('bash', ['-euc', dead.replaceAll('.reticle-cluster', path)], {
    cwd: root,
  })
  expect(stdout).toContain('projects-svc: 0 dead')
  expect(await interrupt()).toBe(0)
}, 420_000)

test('an invalid number of gateways is refused', async () => {
  await expect(start('/nowhere', '--gateways', 'many')).rejects.toThrow(
    '--gateways many: expected a number from 1 to 99',
  )
})

async function start(dataDir: string, ...options: string[]) {
  const env = { RETICLE_DATA_DIR: dataDir, RETICLE_PORT: '0', RETICLE_ADMIN_PASSWORD: password }
  const child = spawn('bash', ['-c', [scripts[name], ...options].join(' ')], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece))
  onTestFinished(() => {
    if (child.exitCode === null) child.kill('SIGKILL')
  })
  const url = await ready(child, () => text)
  const interrupt = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    const [code] = await ended
    return code
  }
  return { api: createApiClient(`${url}/api`, basic), output: () => text, interrupt }
}

async function ready(child: ChildProcess, text: () => string): Promise<string> {
  for (const until = Date.now() + 180_000; Date.now() < until; ) {
    const [, url] = /^Reticle is ready at (\S+)/m.exec(text()) ?? []
    if (url) return url
    if (child.exitCode !== null) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the cluster did not become ready:\n${text()}`)
}
