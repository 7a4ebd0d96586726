import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type CliConfig, readConfig, readEnvironment, writeConfig } from './config.ts'
import { serverUrl, targetOf } from './target.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'reticle-config-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('the config file is in the usual folder of each platform', () => {
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

test('a written config can be read again, and only by its owner', async () => {
  const file = join(folder(), 'deep/config.json')
  expect(await readConfig(file)).toEqual({ current: 'default', profiles: {} })
  const config = { current: 'work', profiles: { work: { url: 'https://a.example', token: 't' } } }
  await writeConfig(file, config)
  expect(await readConfig(file)).toEqual(config)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test.each([['{'], ['[]'], ['{"current":7}'], ['{"profiles":{"a":{}}}']])(
  'a file with %s is rejected, and the error names the file',
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
  '%s is rejected as an address',
  (given) => {
    expect(() => serverUrl(given)).toThrow()
  },
)

const environment = (env: Record<string, string> = {}) =>
  readEnvironment({ HOME: '/h', ...env }, 'linux')
const config: CliConfig = {
  current: 'work',
  profiles: {
    work: { url: 'https://work.example', token: 'of work', organization: 'acme' },
    home: { url: 'http://localhost:8080' },
  },
}

test('options take precedence over the environment, and the environment over the profile', () => {
  expect(targetOf({}, environment(), config)).toMatchObject({
    url: 'https://work.example',
    token: 'of work',
    organization: 'acme',
  })
  const set = environment({ RETICLE_URL: 'https://b.example', SERVICE_ACCESS_TOKEN: 'of b' })
  expect(targetOf({}, set, config)).toMatchObject({ url: 'https://b.example', token: 'of b' })
  const target = targetOf({ url: 'https://c.example', organization: '' }, set, config)
  expect(target).toMatchObject({ url: 'https://c.example', organization: '' })
  expect(targetOf({ profile: 'home' }, environment(), config).url).toBe('http://localhost:8080')
  const named = targetOf({}, environment({ RETICLE_PROFILE: 'home' }), config)
  expect(named.url).toBe('http://localhost:8080')
  expect(targetOf({}, environment(), { current: 'default', profiles: {} })).toMatchObject({
    url: 'http://127.0.0.1:8080',
    token: undefined,
  })
})

test('the token of a profile is sent only to the server of the profile', () => {
  const elsewhere = targetOf({ url: 'https://other.example' }, environment(), config)
  expect(elsewhere).toMatchObject({ token: undefined, organization: undefined })
  const same = targetOf({ url: 'https://work.example/api' }, environment(), config)
  expect(same.token).toBe('of work')
})

test('the error about an unknown profile lists the existing ones', () => {
  expect(() => targetOf({ profile: 'none' }, environment(), config)).toThrow('work, home')
})
