import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type CliHome, createCliHome, signedIn } from '../../support/cli.ts'
import { password, type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

let reticle: ServerUnderTest
let admin: Record<string, string>

beforeAll(async () => {
  reticle = await shareReticle()
  admin = await signedIn(reticle.url, reticle.admin)
})

const configOf = ({ path }: CliHome) => join(path, 'config/reticle/config.json')

test('a valid token is stored for its owner only, and an invalid one is not stored', async () => {
  const machine = createCliHome()
  const refused = await machine.run(['login', reticle.url], 'abcdefgh.nothing\n')
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('Invalid token') })
  expect(() => statSync(configOf(machine))).toThrow()

  const token = admin.SERVICE_ACCESS_TOKEN ?? ''
  const kept = await machine.done(['login', reticle.url], `${token}\n`)
  expect(kept.stdout).toBe(`Signed in at ${reticle.url} as admin.\n`)
  expect(statSync(configOf(machine)).mode & 0o777).toBe(0o600)
  expect(`${kept.stdout}${kept.stderr}`).not.toContain(token)
  expect((await machine.done(['whoami', '--json'])).json).toMatchObject({ username: 'admin' })

  await machine.done(['logout'])
  expect(readFileSync(configOf(machine), 'utf8')).not.toContain(token)
  expect((await machine.run(['whoami'])).code).toBe(3)
})

test('with a user name the command requests the password, creates a token and stores only the token', async () => {
  const machine = createCliHome()
  const login = ['login', `${reticle.url}/api`, '--username', 'admin', '--read-only']
  expect((await machine.run(login, 'not-the-password\n')).code).toBe(3)
  await machine.done(login, `${password}\n`)
  expect(readFileSync(configOf(machine), 'utf8')).not.toContain(password)
  const { token } = (await machine.done(['whoami', '--json'])).json
  expect(token).toMatchObject({ name: expect.stringMatching(/^reticle on /), read_only: true })
  const refused = await machine.run(['project', 'create', 'no'])
  expect(refused.code).toBe(3)
})

test('profiles keep several servers apart, and a token is sent only to its own server', async () => {
  const machine = createCliHome()
  const token = admin.SERVICE_ACCESS_TOKEN ?? ''
  await machine.done(['login', reticle.url], token)
  await machine.done(['login', reticle.url, '--profile', 'work', '--organization', ''], token)
  const nowhere = ['login', reticle.url, '--profile', 'other', '--organization', 'nowhere']
  expect((await machine.run(nowhere, token)).code).toBe(4)
  const listed = await machine.done(['profiles', '--json'])
  expect(listed.json).toEqual([
    { name: 'default', url: reticle.url, organization: null, has_token: true, is_current: true },
    { name: 'work', url: reticle.url, organization: '', has_token: true, is_current: false },
  ])
  await machine.done(['profiles', '--use', 'work'])
  expect((await machine.done(['whoami', '--json'])).json.organization).toBe('')
  expect(await machine.run(['whoami', '--profile', 'none'])).toMatchObject({ code: 2 })

  const elsewhere = reticle.url.replace('127.0.0.1', 'localhost')
  const refused = await machine.run(['whoami', '--url', elsewhere])
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('reticle login') })
})

test('a broken config file is named, and an address that contains a password is refused', async () => {
  const machine = createCliHome(admin)
  mkdirSync(join(machine.path, 'config/reticle'), { recursive: true })
  writeFileSync(configOf(machine), '{"profiles":')
  const broken = await machine.run(['project', 'list'])
  expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining(configOf(machine)) })
  const secret = await createCliHome().run(['whoami', '--url', 'http://anna:secret@127.0.0.1:1'])
  expect(secret.code).toBe(2)
  expect(secret.stderr).not.toContain('anna:secret')
})

test('the exit code names the kind of failure, and with --json the last line is the error as JSON', async () => {
  const machine = createCliHome(admin)
  const ended = async (args: string[]) => {
    const { code, stderr } = await machine.run([...args, '--json'])
    const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')
    expect(error.exit_code).toBe(code)
    return [code, error.code]
  }
  expect(await ended(['nonsense'])).toEqual([2, 'usage'])
  expect(await ended(['project', 'list', '--nonsense'])).toEqual([2, 'usage'])
  expect(await ended(['project', 'show', 'seven'])).toEqual([2, 'usage'])
  expect(await ended(['project'])).toEqual([2, 'usage'])
  expect(await ended(['project', 'show', '999'])).toEqual([4, 'not_found'])
  expect(await ended(['project', 'list', '--organization', 'nowhere'])).toEqual([
    4,
    expect.anything(),
  ])
  expect(await ended(['project', 'create', ''])).toEqual([1, expect.anything()])
  expect(await ended(['project', 'list', '--url', 'http://127.0.0.1:9'])).toEqual([
    6,
    'no_connection',
  ])
  expect(await ended(['import', 'task', '1', 'missing.zip', '--format', 'COCO 1.0'])).toEqual([
    1,
    'file',
  ])
  const stranger = createCliHome({
    RETICLE_URL: reticle.url,
    SERVICE_ACCESS_TOKEN: 'abcdefgh.nothing',
  })
  expect((await stranger.run(['project', 'list'])).code).toBe(3)
  expect((await machine.done(['--help'])).stdout).toContain('Exit codes')
  expect((await machine.done(['--version'])).stdout).toBe('2.58.1\n')
})
