import { stat } from 'node:fs/promises'
import { type About, apiVersion, type Client } from '@reticle/sdk'
import type { Environment } from '../config.ts'
import { explain } from '../explain.ts'
import { clientOf, type Session } from '../session.ts'
import type { Target } from '../target.ts'
import { type Finding, odd, skipped, well, wrong } from './finding.ts'
import { tryUpload } from './try-upload.ts'

/** Yields the results of checks in order of dependency; a check whose prerequisite failed is skipped. */
export async function* examine(session: Session): AsyncGenerator<Finding> {
  const { around, target } = session
  const { env } = around
  let place: Target
  try {
    place = await target()
  } catch (thrown) {
    yield failed('settings', thrown, session)
    return
  }
  yield well('address', `${place.url} (${place.from.url})`)
  yield* settings(env)
  yield* proxies(place, env)
  // Without a token, so that an invalid token is not reported as an unreachable server.
  const nobody = clientOf({ url: place.url, token: undefined, organization: undefined })
  const about = await reached(nobody, session)
  if ('state' in about) {
    yield about
    for (const check of ['version', 'clock', 'health', 'token', 'upload'])
      yield skipped(check, 'the server cannot be reached')
    return
  }
  yield well('server', `${about.name} ${about.version}, ${about.ms} ms away`)
  yield versionOf(about)
  yield clockOf(about)
  yield await healthOf(nobody, session)
  const client = await session.client()
  const token = await tokenOf(client, place, session)
  yield token
  if (token.state === 'wrong') yield skipped('upload', 'it needs a token')
  else yield await tryUpload(client, session)
}

const failed = (check: string, thrown: unknown, { signal }: Session): Finding => {
  const { message, hint } = explain(thrown, signal)
  return wrong(check, message, hint)
}

/** The config file contains tokens, so other users must not be able to read it. */
async function* settings({ configFile }: Environment): AsyncGenerator<Finding> {
  const there = await stat(configFile).catch(() => undefined)
  if (!there) yield well('config', `${configFile} is not there, nothing is kept`)
  else if (process.platform !== 'win32' && (there.mode & 0o077) !== 0)
    yield odd('config', `${configFile} can be read by others`, `Run: chmod 600 '${configFile}'`)
  else yield well('config', configFile)
}

function* proxies({ url }: Target, env: Environment): Generator<Finding> {
  const names = Object.keys(env.proxies)
  const isLocal = /^https?:\/\/(localhost|127\.|\[::1\])/.test(url)
  if (names.length === 0 || isLocal) return
  const text = `${names.join(', ')} is set`
  if (env.usesEnvProxy) yield well('proxy', `${text} and used`)
  else
    yield odd(
      'proxy',
      `${text}, but not used`,
      'Where the server is behind it, set NODE_USE_ENV_PROXY=1 (Node.js 24 and later).',
    )
}

interface Reached extends About {
  /** Duration of a call in milliseconds. */
  ms: number
  /** Difference of the server clock to this machine in milliseconds; undefined without a `Date` header. */
  aheadMs: number | undefined
}

async function reached(client: Client, session: Session): Promise<Reached | Finding> {
  const { signal } = session
  const begun = Date.now()
  try {
    const answer = await client.respond('getAbout', {}, { signal, retries: 0 })
    const ended = Date.now()
    const date = Date.parse(answer.headers.get('date') ?? '')
    const about: About = JSON.parse(await answer.text())
    if (typeof about?.version !== 'string') throw new Error('It answers, but not as Reticle does')
    // The header has whole seconds; half a second is the expected error.
    const aheadMs = Number.isNaN(date) ? undefined : date + 500 - (begun + ended) / 2
    return { ...about, ms: ended - begun, aheadMs }
  } catch (thrown) {
    return failed('server', thrown, session)
  }
}

/** Versions with the same major and minor number are compatible. */
function versionOf({ version }: Reached): Finding {
  const [own, theirs] = [apiVersion, version].map((text) => text.split('.').slice(0, 2).join('.'))
  if (own === theirs) return well('version', `${version}, as this program`)
  return odd(
    'version',
    `${version}, this program is of ${apiVersion}`,
    'Use the one of the server.',
  )
}

/** Larger differences make tokens expire at the wrong time and certificates fail. */
const mostAheadMs = 60_000

function clockOf({ aheadMs }: Reached): Finding {
  if (aheadMs === undefined) return odd('clock', 'the server does not say what time it is')
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  const text = `${seconds} s ${aheadMs < 0 ? 'behind' : 'before'} this machine`
  if (Math.abs(aheadMs) < mostAheadMs) return well('clock', text)
  return odd('clock', text, 'Set the clock of the machine that is wrong.')
}

async function healthOf(client: Client, session: Session): Promise<Finding> {
  try {
    const health = await client.getHealth({}, { signal: session.signal, retries: 0 })
    return well('health', Object.keys(health).join(', '))
  } catch (thrown) {
    return { ...failed('health', thrown, session), advice: 'See `reticle server health`.' }
  }
}

async function tokenOf(client: Client, { from }: Target, session: Session): Promise<Finding> {
  try {
    const { username } = await client.getSelf({}, { signal: session.signal })
    const token = await client
      .getCurrentAccessToken({}, { signal: session.signal })
      .catch(() => undefined)
    const text = `of ${username} (${from.token})`
    if (token?.read_only)
      return odd('token', `${text}, reads only`, 'Sign in with another one to change anything.')
    return well('token', text)
  } catch (thrown) {
    return failed('token', thrown, session)
  }
}
