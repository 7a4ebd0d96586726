import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from '../failures/failure.ts'

/** Environment variables and folders of the program; only this file knows their names. */
export interface Environment {
  url: string | undefined
  /** Access token; takes precedence over the token of a profile. */
  token: string | undefined
  /** Access token of the server that `migrate` copies from. */
  sourceToken: string | undefined
  profile: string | undefined
  /** Slug of the organization; empty: the personal workspace. */
  organization: string | undefined
  /** Path of the config file. */
  configFile: string
  /** Folder for the state of unfinished commands. */
  cacheDir: string
  /** Whether `NO_COLOR` is set to any value. */
  noColor: boolean
  /** Configured proxies by variable; Node's `fetch` may ignore them. */
  proxies: Readonly<Record<string, string>>
  /** Whether `NODE_USE_ENV_PROXY=1` makes `fetch` use them. */
  usesEnvProxy: boolean
}

export function readEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
): Environment {
  const { config, cache } = foldersOf(env, platform)
  const proxyNames = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']
  return {
    url: env.RETICLE_URL || undefined,
    token: env.SERVICE_ACCESS_TOKEN || undefined,
    sourceToken: env.RETICLE_SOURCE_TOKEN || undefined,
    profile: env.RETICLE_PROFILE || undefined,
    organization: env.RETICLE_ORGANIZATION,
    configFile: join(env.RETICLE_CONFIG_DIR || config, 'config.json'),
    cacheDir: env.RETICLE_CACHE_DIR || cache,
    noColor: (env.NO_COLOR ?? '') !== '',
    proxies: Object.fromEntries(
      proxyNames.flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
    ),
    usesEnvProxy: env.NODE_USE_ENV_PROXY === '1',
  }
}

/** Returns the platform's folders for configuration and cache. */
function foldersOf(env: Readonly<Record<string, string | undefined>>, platform: string) {
  const home = env.HOME || homedir()
  if (platform === 'win32') {
    const config = env.APPDATA || join(home, 'AppData/Roaming')
    const cache = env.LOCALAPPDATA || join(home, 'AppData/Local')
    return { config: join(config, 'reticle'), cache: join(cache, 'reticle/cache') }
  }
  if (platform === 'darwin') {
    const library = join(home, 'Library')
    return {
      config: join(library, 'Application Support/reticle'),
      cache: join(library, 'Caches/reticle'),
    }
  }
  return {
    config: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'reticle'),
    cache: join(env.XDG_CACHE_HOME || join(home, '.cache'), 'reticle'),
  }
}

/** A server with the credentials and organization to use there. */
export interface Profile {
  url: string
  token?: string
  organization?: string
}

export interface CliConfig {
  /** Profile that is used by default. */
  current: string
  profiles: Readonly<Record<string, Profile>>
}

export const defaultProfile = 'default'
export const defaultUrl = 'http://127.0.0.1:8080'

/**
 * Reads the config file; returns an empty config if it does not exist.
 * @throws Failure that names the file, if it cannot be read
 */
export async function readConfig(file: string): Promise<CliConfig> {
  const text = await readFile(file, 'utf8').catch((thrown) => {
    if (isMissing(thrown)) return undefined
    throw unreadableFailure(file, thrown)
  })
  if (text === undefined) return { current: defaultProfile, profiles: {} }
  try {
    return configOf(JSON.parse(text))
  } catch (thrown) {
    throw unreadableFailure(file, thrown)
  }
}

/** Replaces the config file, readable only by its owner because it contains tokens. */
export async function writeConfig(file: string, config: CliConfig): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}`
  await writeFile(temporary, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 })
  await chmod(temporary, 0o600) // `writeFile` does not change the mode of a file left by another process
  await rename(temporary, file)
}

function configOf(given: unknown): CliConfig {
  if (!isRecord(given)) throw new Error('it is no JSON object')
  const { current = defaultProfile, profiles = {} } = given
  if (typeof current !== 'string') throw new Error('"current" is no text')
  if (!isRecord(profiles)) throw new Error('"profiles" is no object')
  const read = Object.entries(profiles).map(([name, one]) => [name, profileOf(name, one)])
  return { current, profiles: Object.fromEntries(read) }
}

function profileOf(name: string, given: unknown): Profile {
  if (!isRecord(given) || typeof given.url !== 'string')
    throw new Error(`the profile "${name}" has no "url"`)
  const { url, token, organization } = given
  return {
    url,
    ...(typeof token === 'string' && { token }),
    ...(typeof organization === 'string' && { organization }),
  }
}

const isRecord = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given)

export const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'

function unreadableFailure(file: string, thrown: unknown): Failure {
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  return new Failure(`The config file ${file} cannot be read: ${reason}`, {
    code: 'bad_config',
    hint: 'Fix or delete the file, then run `reticle login` again.',
  })
}
