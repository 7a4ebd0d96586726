import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Config, readConfig, readEnvironment, writeConfig } from './config.ts'
import { serverUrl, targetOf } from './target.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'reticle-config-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('the file lies where each platform keeps such files', () => {
  const fileOf = (env: Record<string, string>, platform: string) => readEnvironment(env, platform)
  expect(fileOf({ HOME: '/home/anna' }, 'linux')).toMatchObject({
    configFile: '/home/anna/.config/reticle/config.json',
    cacheDir: '/home/anna/.cache/reticle',
  })
  expect(fileOf({ HOME: '/home/anna', XDG_CONFIG_HOME: '/etc/anna' }, 'linux').configFile).toBe(
    '/etc/anna/reticle/config.json',
  )
  expect(fileOf({ HOME: '/Users/anna' }, 'darwin').configFile).toBe(
    '/Users/anna/Library/Application Support/reticle/config.json',
  )
  expect(fileOf({ APPDATA: '/anna/Roaming' }, 'win32').configFile).toBe(
    '/anna/Roaming/reticle/config.json',
  )
  expect(fileOf({ RETICLE_CONFIG_DIR: '/own', HOME: '/' }, 'linux').configFile).toBe(
    '/own/config.json',
  )
})

test('what is written is read again, and nobody else may read it', async () => {
  const file = join(folder(), 'deep/config.json')
  expect(await readConfig(file)).toEqual({ current: 'default', profiles: {} })
  const config = { current: 'work', profiles: { work: { url: 'https://a.example', token: 't' } } }
  await writeConfig(file, config)
  expect(await readConfig(file)).toEqual(config)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test.each([['{'], ['[]'], ['{"current":7}'], ['{"profiles":{"a":{}}}']])(
  'a file with %s is refused by its name',
  async (text) => {
    const file = join(folder(), 'config.json')
    writeFileSync(file, text)
    await expect(readConfig(file)).rejects.toThrow(file)
  },
)

test.each([
  ['reticle.example.org', 'https://reticle.example.org'],
  ['localhost:8080', 'http://localhost:8080'],
  ['https://reticle.example.org/api/', 'https://reticle.example.org'],
  ['https://example.org/labels/', 'https://example.org/labels'],
])('%s is the server at %s', (given, url) => {
  expect(serverUrl(given)).toBe(url)
})

test.each([['ftp://example.org'], ['http://'], ['https://anna:secret@example.org']])(
  '%s is no address',
  (given) => {
    expect(() => serverUrl(given)).toThrow()
  },
)

const environment = (env: Record<string, string> = {}) =>
  readEnvironment({ HOME: '/h', ...env }, 'linux')
const config: Config = {
  current: 'work',
  profiles: {
    work: { url: 'https://work.example', token: 'of work', organization: 'acme' },
    home: { url: 'http://localhost:8080' },
  },
}

test('an option goes before the environment, and that before the profile', () => {
  expect(targetOf({}, environment(), config)).toMatchObject({
    ...{ url: 'https://work.example', token: 'of work', organization: 'acme' },
  })
  const set = environment({ RETICLE_URL: 'https://b.example', SERVICE_ACCESS_TOKEN: 'of b' })
  expect(targetOf({}, set, config)).toMatchObject({ url: 'https://b.example', token: 'of b' })
  const asked = targetOf({ url: 'https://c.example', organization: '' }, set, config)
  expect(asked).toMatchObject({ url: 'https://c.example', organization: '' })
  expect(targetOf({ profile: 'home' }, environment(), config).url).toBe('http://localhost:8080')
  const named = targetOf({}, environment({ RETICLE_PROFILE: 'home' }), config)
  expect(named.url).toBe('http://localhost:8080')
  expect(targetOf({}, environment(), { current: 'default', profiles: {} })).toMatchObject({
    ...{ url: 'http://127.0.0.1:8080', token: undefined },
  })
})

test('the token of a profile goes to its server only', () => {
  const elsewhere = targetOf({ url: 'https://other.example' }, environment(), config)
  expect(elsewhere).toMatchObject({ token: undefined, organization: undefined })
  const same = targetOf({ url: 'https://work.example/api' }, environment(), config)
  expect(same.token).toBe('of work')
})

test('a profile that is not there is refused with those that are', () => {
  expect(() => targetOf({ profile: 'none' }, environment(), config)).toThrow('work, home')
})
