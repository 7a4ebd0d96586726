import { stat } from 'node:fs/promises'
import { type About, apiVersion, type Client, fromBytes } from '@reticle/sdk'
import { toFailure } from '../failures/to-failure.ts'
import { type CommandSession, clientOf } from '../session/command-session.ts'
import type { Environment } from '../session/config.ts'
import type { ServerTarget } from '../session/target.ts'
import { type Finding, odd, skipped, well, wrong } from './finding.ts'

/** Yields the results of checks in order of dependency; a check whose prerequisite failed is skipped. */
export async function* examineSetup(session: CommandSession): AsyncGenerator<Finding> {
  const { context, target } = session
  const { env } = context
  let serverTarget: ServerTarget
  try {
    serverTarget = await target()
  } catch (thrown) {
    yield failedFinding('settings', thrown, session)
    return
  }
  yield well('address', `${serverTarget.url} (${serverTarget.from.url})`)
  yield* checkSettings(env)
  yield* checkProxies(serverTarget, env)
  // Without a token, so that an invalid token is not reported as an unreachable server.
  const anonymousClient = clientOf({
    url: serverTarget.url,
    token: undefined,
    organization: undefined,
  })
  const about = await readAbout(anonymousClient, session)
  if ('state' in about) {
    yield about
    for (const check of ['version', 'clock', 'health', 'token', 'upload'])
      yield skipped(check, 'the server cannot be reached')
    return
  }
  yield well('server', `${about.name} ${about.version}, ${about.ms} ms away`)
  yield versionOf(about)
  yield clockOf(about)
  yield await healthOf(anonymousClient, session)
  const client = await session.client()
  const token = await tokenOf(client, serverTarget, session)
  yield token
  if (token.state === 'wrong') yield skipped('upload', 'it needs a token')
  else yield await tryUpload(client, session)
}

const failedFinding = (check: string, thrown: unknown, { signal }: CommandSession): Finding => {
  const { message, hint } = toFailure(thrown, signal)
  return wrong(check, message, hint)
}

/** The config file contains tokens, so other users must not be able to read it. */
async function* checkSettings({ configFile }: Environment): AsyncGenerator<Finding> {
  const there = await stat(configFile).catch(() => undefined)
  if (!there) yield well('config', `${configFile} is not there, nothing is kept`)
  else if (process.platform !== 'win32' && (there.mode & 0o077) !== 0)
    yield odd('config', `${configFile} can be read by others`, `Run: chmod 600 '${configFile}'`)
  else yield well('config', configFile)
}

function* checkProxies({ url }: ServerTarget, env: Environment): Generator<Finding> {
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

interface ServerAbout extends About {
  /** Duration of a call in milliseconds. */
  ms: number
  /** Difference of the server clock to this machine in milliseconds; undefined without a `Date` header. */
  aheadMs: number | undefined
}

async function readAbout(client: Client, session: CommandSession): Promise<ServerAbout | Finding> {
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
    return failedFinding('server', thrown, session)
  }
}

/** Versions with the same major and minor number are compatible. */
function versionOf({ version }: ServerAbout): Finding {
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

function clockOf({ aheadMs }: ServerAbout): Finding {
  if (aheadMs === undefined) return odd('clock', 'the server does not say what time it is')
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  const text = `${seconds} s ${aheadMs < 0 ? 'behind' : 'before'} this machine`
  if (Math.abs(aheadMs) < mostAheadMs) return well('clock', text)
  return odd('clock', text, 'Set the clock of the machine that is wrong.')
}

async function healthOf(client: Client, session: CommandSession): Promise<Finding> {
  try {
    const health = await client.getHealth({}, { signal: session.signal, retries: 0 })
    return well('health', Object.keys(health).join(', '))
  } catch (thrown) {
    return { ...failedFinding('health', thrown, session), advice: 'See `reticle server health`.' }
  }
}

async function tokenOf(
  client: Client,
  { from }: ServerTarget,
  session: CommandSession,
): Promise<Finding> {
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
    return failedFinding('token', thrown, session)
  }
}

/** More than the default body limit of some proxies. */
const uploadBytes = 2 * 1024 * 1024

/**
 * Uploads some bytes as media of a temporary task, to test proxies in between and the disks of the server. They are
 * not an image, so the server creates no frames.
 */
async function tryUpload(client: Client, { signal }: CommandSession): Promise<Finding> {
  const check = 'upload'
  let id: number | undefined
  try {
    const task = await client.createTask({ body: { name: 'reticle doctor' } }, { signal })
    id = task.id
    const begun = Date.now()
    const file = fromBytes('doctor.bin', new Uint8Array(uploadBytes))
    await client.uploadTaskData.send({ id, body: {} }, file, { signal })
    const ms = Math.max(1, Date.now() - begun)
    return well(check, `${uploadBytes / 1024 ** 2} MiB in ${ms} ms`)
  } catch (thrown) {
    const { message, hint, ending } = toFailure(thrown, signal)
    if (ending === 'denied') return odd(check, `not tried: ${message}`)
    return wrong(check, message, hint ?? 'What is between may limit the size of a request.')
  } finally {
    if (id !== undefined) await dropTask(client, id)
  }
}

/** Deletes the task after the server has finished reading its media. */
async function dropTask(client: Client, id: number): Promise<void> {
  await client.follow(`action=create&target=task&target_id=${id}`).catch(() => undefined)
  await client.deleteTask({ id })
}
