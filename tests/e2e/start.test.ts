import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createApiClient } from '../support/client.ts'
import { dataDirectory, root, startReticle } from '../support/reticle.ts'

function directory(): string {
  const { path, remove } = dataDirectory()
  onTestFinished(remove)
  return path
}

describe('the first start', () => {
  const { path, remove } = dataDirectory()
  afterAll(remove)
  const unasked = { RETICLE_ADMIN_PASSWORD: '' }
  const secretFile = join(path, 'admin-password')
  const secret = () => readFileSync(secretFile, 'utf8').trim()

  test('it creates an administrator and prints the password', async () => {
    const reticle = await startReticle(path, unasked)
    expect(statSync(secretFile).mode & 0o777).toBe(0o600)
    expect(reticle.output()).toContain(secret())
    const api = createApiClient(`${reticle.url}/api`)
    const json = { username: 'admin', password: secret() }
    const login = await api.done('POST', '/auth/login', { json })
    const self = await createApiClient(`${reticle.url}/api`, `Token ${login.key}`).done(
      'GET',
      '/users/self',
    )
    expect(self).toMatchObject({ username: 'admin', email: 'admin@localhost', is_superuser: true })
    expect(await reticle.stop()).toBe(0)
  })

  test('a later start prints only the location of the password', async () => {
    const again = await startReticle(path, unasked)
    expect(again.output()).not.toContain(secret())
    expect(again.output()).toContain(`$(cat '${secretFile}')`)
    await again.stop()
  })
})

test('a second process on the same directory prints the reason and exits with 1', async () => {
  const path = directory()
  const reticle = await startReticle(path)
  const env = { ...process.env, RETICLE_DATA_DIR: path, RETICLE_PORT: '0' }
  const second = spawnSync(process.execPath, [join(root, 'apps/standalone/dist/main.js')], {
    env,
    encoding: 'utf8',
  })
  expect(second.status).toBe(1)
  expect(`${second.stdout}${second.stderr}`).toMatch(/already runs on the data directory/)
  await reticle.stop()
})

test('an occupied port is reported before any data is created', async () => {
  const path = directory()
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const taken = other.address()
  const port = typeof taken === 'object' && taken ? taken.port : 0
  const env = { ...process.env, RETICLE_DATA_DIR: path, RETICLE_PORT: String(port) }
  const start = spawnSync(process.execPath, [join(root, 'apps/standalone/dist/main.js')], {
    env,
    encoding: 'utf8',
  })
  expect(start.status).toBe(1)
  expect(start.stderr).toContain(`Port ${port} of 127.0.0.1 is in use`)
  expect(existsSync(join(path, 'postgres'))).toBe(false)
})

test('a server logs at once that it is stopping', async () => {
  const reticle = await startReticle(directory())
  expect(await reticle.stop()).toBe(0)
  expect(reticle.output()).toContain('Stopping')
})

test('a server whose output is closed stops normally', async () => {
  const reticle = await startReticle(directory())
  reticle.leaveOutput()
  expect(await reticle.stop()).toBe(0)
})

test('all invalid settings are reported together', () => {
  const env = {
    ...process.env,
    RETICLE_DATA_DIR: directory(),
    RETICLE_PORT: 'no',
    RETICLE_LOG_LEVEL: 'loud',
    RETICLE_JOBS_SLOTS: '-1',
    RETICLE_WEBHOOKS_ALLOWED_NETS: 'everywhere',
  }
  const start = spawnSync(process.execPath, [join(root, 'apps/standalone/dist/main.js')], {
    env,
    encoding: 'utf8',
  })
  expect(start.status).toBe(1)
  expect(start.stderr).toMatch(/RETICLE_PORT/)
  for (const name of ['RETICLE_LOG_LEVEL', 'RETICLE_JOBS_SLOTS', 'RETICLE_WEBHOOKS_ALLOWED_NETS'])
    expect(start.stderr).toMatch(name)
})

test('an unknown setting is reported, because it may be a typing error', async () => {
  const reticle = await startReticle(directory(), { RETICLE_PROT: '1', RETICLE_LOG_LEVEL: 'warn' })
  expect(reticle.output()).toMatch(/RETICLE_PROT is not a known setting/)
  await reticle.stop()
})

describe('when the database process dies', () => {
  const { path, remove } = dataDirectory()
  afterAll(remove)

  test('the server exits', async () => {
    const reticle = await startReticle(path)
    await reticle.admin.done('POST', '/projects', { json: { name: 'kept' } })
    const [pid] = readFileSync(join(path, 'postgres/data/postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(pid), 'SIGKILL')
    expect(await reticle.ended()).toBe(1)
    expect(reticle.output()).toMatch(/PostgreSQL ended by itself/)
  })

  test('the server starts again on the same data', async () => {
    const again = await startReticle(path)
    expect((await again.admin.done('GET', '/projects')).results).toMatchObject([{ name: 'kept' }])
    await again.stop()
  })
})
