import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError, type Env } from '../config.ts'
import { type OnStop, run } from '../lifecycle.ts'
import { createLog, type Logger } from '../log.ts'
import { metricsText, watchProcess } from '../observe/metrics.ts'
import { startTraces } from '../observe/traces.ts'
import { namesOf, type Parts, type Read, readParts } from './parts.ts'
import { openProbes, type Probes } from './probes.ts'
import { type ProcessSettings, processPart } from './settings.ts'

/** What a program starts with. */
export interface App<P extends Parts> {
  config: Read<P>
  settings: ProcessSettings
  env: Env
  log: Logger
  /** Registers how to stop what was started; the last is stopped first. */
  onStop: OnStop
  /** Registers what is done as soon as the process is asked to stop, while it still answers. */
  onLeave: (leave: () => void) => void
  probes: Probes
  /** Fires with the first signal: a start that waits for something gives up. */
  signal: AbortSignal
}

/** One process of a cluster (`design.md` 3). */
export interface Program<P extends Parts> {
  /** Its name in logs, metrics and traces. */
  service: string
  /** One sentence for `--help`. */
  about: string
  env: Env
  parts: P
  /** From the signal to the end at most, a little less than the grace of its pod (`reliability.md` 16.3). */
  graceMs: number
  start: (app: App<P>) => Promise<void>
  /** What the word behind the program's name does instead of serving: `migrate`. */
  commands?: Record<string, Command<P>>
}

export interface Command<P extends Parts> {
  about: string
  /** The parts it reads, so that it runs where nothing else is given yet; all when not named. */
  reads?: readonly (keyof P)[]
  run: (config: Read<P>, log: Logger) => Promise<void>
}

/**
 * Runs a program from its settings to its exit code: reads all settings, opens log, traces and probes, starts, waits for
 * a signal, says that it leaves, waits for that to be known, stops everything in reverse order.
 */
export async function runProgram<P extends Parts>(
  program: Program<P>,
  [word]: readonly string[] = process.argv.slice(2),
): Promise<number> {
  const { service, env, parts } = program
  const command = program.commands?.[word ?? '']
  const isKnown = word === undefined || command
  if (!isKnown) {
    process.stdout.write(helpOf(program))
    return word === '--help' ? 0 : 2
  }
  try {
    const wanted = partsOf(parts, command?.reads)
    const { common, ...config } = readParts({ ...wanted, common: processPart }, env)
    const settings = common as ProcessSettings
    const log = createLog(service, settings.log)
    if (command) return await once(() => command.run(config as Read<P>, log), log)
    warnOfUnknown(program, log)
    return await serve(program, { config: config as Read<P>, settings, log })
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    process.stderr.write(`${thrown.message}\n`)
    return 1
  }
}

const partsOf = (parts: Parts, names?: readonly PropertyKey[]): Parts =>
  Object.fromEntries(Object.entries(parts).filter(([name]) => names?.includes(name) ?? true))

async function once(work: () => Promise<void>, log: Logger): Promise<number> {
  try {
    await work()
    return 0
  } catch (err) {
    log.fatal({ err }, err instanceof Error ? err.message : String(err))
    return 1
  }
}

type Opened<P extends Parts> = Pick<App<P>, 'config' | 'settings' | 'log'>

function serve<P extends Parts>(program: Program<P>, opened: Opened<P>): Promise<number> {
  const { service, env, graceMs } = program
  const { settings, log } = opened
  const leaving: (() => void)[] = []
  const asked = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => asked.abort())

  const start = async (onStop: OnStop) => {
    watchProcess()
    const traces = await startTraces({ service, endpoint: settings.traces })
    onStop('traces', traces.stop)
    const { host, metricsPort } = settings
    const probes = await openProbes({ host, port: metricsPort, metrics: metricsText })
    onStop('probes', probes.stop)
    const onLeave = (leave: () => void) => leaving.push(leave)
    await program.start({ ...opened, env, onStop, onLeave, probes, signal: asked.signal })
    onStop('readiness', async () => {
      probes.setReady(false)
      for (const leave of leaving) leave()
      await sleep(settings.drainMs)
    })
    probes.setReady(true)
    log.info({ metrics_port: probes.port }, `${service} is ready`)
  }
  const onError = (name: string, err: unknown) =>
    log.error({ err, part: name }, `${service}: ${name}`)
  return run(start, { onError, limitMs: graceMs })
}

/** Names with the program's own prefix that mean nothing: most likely misspelt. */
function warnOfUnknown<P extends Parts>({ service, env, parts }: Program<P>, log: Logger): void {
  const known = new Set(namesOf({ ...parts, common: processPart }))
  const [word = ''] = service.split('-')
  const prefix = `RETICLE_${word.toUpperCase()}_`
  for (const name of Object.keys(env)) {
    if (name.startsWith(prefix) && !known.has(name)) log.warn(`${name} is no setting: misspelt?`)
  }
}

function helpOf<P extends Parts>({ service, about, commands = {}, parts }: Program<P>): string {
  const words = Object.entries(commands).map(([word, one]) => `  ${word.padEnd(10)} ${one.about}`)
  const names = namesOf({ ...parts, common: processPart }).sort()
  return `${service}: ${about}

Without a word it serves until SIGTERM or SIGINT.
${words.length > 0 ? `\n${words.join('\n')}\n` : ''}
Settings are environment variables, described in docs/operations.md:
${names.map((name) => `  ${name}`).join('\n')}
`
}
