import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { preparePostgresHome } from './home.ts'
import { startPostgres } from './server.ts'

const root = await mkdtemp(join(tmpdir(), 'reticle-pg-'))
await chmod(root, 0o755)
afterAll(() => rm(root, { recursive: true }))
let made = 0
const newDir = () => join(root, String(made++))
const settings = { fsync: 'off', shared_buffers: '16MB' }
const asRoot = process.getuid?.() === 0

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

test('rows and the password are the same after the next start', async () => {
  const dataDir = newDir()
  const first = await startPostgres({ dataDir, settings })
  await ask(first.url, 'create table kept as select 7 as n')
  await first.stop()
  await first.stop()
  const second = await startPostgres({ dataDir, settings })
  expect(await ask(second.url, 'select n from kept')).toEqual([{ n: 7 }])
  expect(new URL(second.url).password).toBe(new URL(first.url).password)
  await second.stop()
})

test('the server listens on loopback only, and requires the password', async () => {
  const dataDir = newDir()
  const server = await startPostgres({ dataDir, settings })
  expect(
    await ask(
      server.url,
      `select name, setting from pg_settings
      where name in ('listen_addresses', 'unix_socket_directories') order by name`,
    ),
  ).toEqual([
    { name: 'listen_addresses', setting: '127.0.0.1' },
    { name: 'unix_socket_directories', setting: '' },
  ])
  expect((await stat(join(dataDir, 'postgres-password'))).mode & 0o777).toBe(0o600)
  const stranger = new URL(server.url)
  stranger.password = 'guess'
  await expect(ask(stranger.href, 'select 1')).rejects.toThrow('password authentication failed')
  await server.stop()
})

test('letters are compared and case-folded by Unicode rules', async () => {
  const server = await startPostgres({ dataDir: newDir(), settings })
  expect(await ask(server.url, `select lower('ÄЖ') as folded`)).toEqual([{ folded: 'äж' }])
  await server.stop()
})

test('a server left behind by a killed process is stopped first', async () => {
  const dataDir = newDir()
  const script = join(import.meta.dirname, 'orphan.fixture.ts')
  const execArgv = ['--conditions=@reticle/source', '--import', 'tsx']
  const child = fork(script, [dataDir], { execArgv })
  const [orphan] = await once(child, 'message')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await ask(orphan, 'select 1 as n')).toEqual([{ n: 1 }])

  const server = await startPostgres({ dataDir, settings })
  await expect(ask(orphan, 'select 1')).rejects.toThrow()
  expect(await ask(server.url, 'select n from kept')).toEqual([{ n: 7 }])
  await server.stop()
})

test('without its password file a database is not opened, and its data stays', async () => {
  const dataDir = newDir()
  await (await startPostgres({ dataDir, settings })).stop()
  await unlink(join(dataDir, 'postgres-password'))
  await expect(startPostgres({ dataDir, settings })).rejects.toThrow(
    `${join(dataDir, 'postgres-password')} is missing`,
  )
})

test('a server that cannot start reports the reason', async () => {
  const wrong = { shared_buffers: 'lots' }
  await expect(startPostgres({ dataDir: newDir(), settings: wrong })).rejects.toThrow(
    /PostgreSQL did not start:[\s\S]*invalid value for parameter "shared_buffers"/,
  )
})

test.runIf(asRoot)('below a closed folder the server goes elsewhere, and stays there', async () => {
  const home = newDir()
  await mkdir(home, { mode: 0o700 })
  const notices: string[] = []
  const options = {
    dataDir: join(home, 'data'),
    outside: join(root, 'outside'),
    settings,
    onNotice: (sentence: string) => notices.push(sentence),
  }
  const first = await startPostgres(options)
  const folder = (await readFile(join(home, 'data', 'postgres-folder'), 'utf8')).trim()
  expect(folder.startsWith(join(root, 'outside'))).toBe(true)
  expect(notices).toEqual([
    `The database lives in ${folder}, because ${home} is closed to the account it runs as.`,
  ])
  await ask(first.url, 'create table kept as select 7 as n')
  await first.stop()

  await chmod(home, 0o755)
  const second = await startPostgres(options)
  expect(await ask(second.url, 'select n from kept')).toEqual([{ n: 7 }])
  expect(notices).toHaveLength(1)
  await second.stop()
})

test.runIf(asRoot)(
  'binaries below a closed folder are copied to where they can be run',
  async () => {
    const home = newDir()
    await mkdir(home, { mode: 0o700 })
    const { native } = await preparePostgresHome({ dataDir: newDir() })
    await cp(native, join(home, 'native'), { recursive: true, verbatimSymlinks: true })
    await unlink(join(home, 'native/lib/libicuuc.so.60'))
    await writeFile(join(home, 'package.json'), '{"version":"1.2.3"}')
    const outside = join(root, 'outside')
    const options = { dataDir: newDir(), outside, settings, native: join(home, 'native') }

    const server = await startPostgres(options)
    expect(await ask(server.url, 'select 1 as n')).toEqual([{ n: 1 }])
    await server.stop()
    expect((await preparePostgresHome(options)).native).toMatch(
      /outside\/[0-9a-f]{16}\/native-1\.2\.3$/,
    )
  },
)

test.runIf(asRoot)('where elsewhere is closed too, the folder to open is named', async () => {
  const home = newDir()
  await mkdir(home, { mode: 0o700 })
  const options = { dataDir: join(home, 'data'), outside: join(home, 'outside'), settings }
  await expect(startPostgres(options)).rejects.toThrow(
    `cannot enter ${home}: open it (chmod o+x ${home})`,
  )
})

test.runIf(asRoot)(
  'a database whose folder was closed later is not replaced by an empty one',
  async () => {
    const home = newDir()
    await mkdir(home, { mode: 0o755 })
    const options = { dataDir: join(home, 'data'), outside: join(root, 'outside'), settings }
    await (await startPostgres(options)).stop()
    await chmod(home, 0o700)
    await expect(startPostgres(options)).rejects.toThrow(`cannot enter ${home}`)
  },
)
