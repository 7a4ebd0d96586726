import { setTimeout as sleep } from 'node:timers/promises'
import { createLog, type Logger } from '../observe/log.ts'
import { metricsText, watchProcess } from '../observe/metrics.ts'
import { startTraces } from '../observe/traces.ts'
import { ConfigError, type Env } from '../settings/config.ts'
import { namesOf, readParts, type SettingsOf, type SettingsParts } from '../settings/parts.ts'
import { type OnStop, runProcess } from './lifecycle.ts'
import { openProbes, type Probes } from './probes.ts'
import { type ProcessSettings, processPart } from './settings.ts'

/** Resources of a program at its start. */
export interface App<P extends SettingsParts> {
  config: SettingsOf<P>
  settings: ProcessSettings
  env: Env
  log: Logger
  /** Registers how to stop a started part; the last one stops first. */
  onStop: OnStop
  /** Registers what to do once the process is asked to stop, while it still serves. */
  onLeave: (leave: () => void) => void
  probes: Probes
  /** Fires with the first signal, so that a waiting start gives up. */
  signal: AbortSignal
}

/** Program of one process of a cluster. */
export interface ProcessProgram<P extends SettingsParts> {
  /** Name in logs, metrics and traces. */
  service: string
  /** Sentence for `--help`. */
  about: string
  env: Env
  parts: P
  /** Longest time in milliseconds from the signal to the end, a little less than the grace period of its pod. */
  graceMs: number
  start: (app: App<P>) => Promise<void>
  /** Commands that run instead of serving, such as `migrate`, by their name on the command line. */
  commands?: Record<string, Command<P>>
}

export interface Command<P extends SettingsParts> {
  about: string
  /** Parts that the command reads, so that it can run without other settings; if absent, all parts. */
  reads?: readonly (keyof P)[]
  run: (config: SettingsOf<P>, log: Logger) => Promise<void>
}

/**
 * Runs a program and returns its exit code: reads all settings, opens log, traces and probes, starts, waits for a
 * signal, reports that it is not ready, waits until that is noticed, and stops everything in reverse order.
 */
export async function runProgram<P extends SettingsParts>(
  program: ProcessProgram<P>,
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
    if (command) return await runOnce(() => command.run(config as SettingsOf<P>, log), log)
    warnOfUnknown(program, log)
    return await serve(program, { config: config as SettingsOf<P>, settings, log })
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    process.stderr.write(`${thrown.message}\n`)
    return 1
  }
}

const partsOf = (parts: SettingsParts, names?: readonly PropertyKey[]): SettingsParts =>
  Object.fromEntries(Object.entries(parts).filter(([name]) => names?.includes(name) ?? true))

async function runOnce(work: () => Promise<void>, log: Logger): Promise<number> {
  try {
    await work()
    return 0
  } catch (err) {
    log.fatal({ err }, err instanceof Error ? err.message : String(err))
    return 1
  }
}

type Opened<P extends SettingsParts> = Pick<App<P>, 'config' | 'settings' | 'log'>

function serve<P extends SettingsParts>(
  program: ProcessProgram<P>,
  opened: Opened<P>,
): Promise<number> {
  const { service, env, graceMs } = program
  const { settings, log } = opened
  const leaving: (() => void)[] = []
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())

  const start = async (onStop: OnStop) => {
    watchProcess()
    const traces = await startTraces({ service, endpoint: settings.traces })
    onStop('traces', traces.stop)
    const { host, metricsPort } = settings
    const probes = await openProbes({ host, port: metricsPort, metrics: metricsText })
    onStop('probes', probes.stop)
    const onLeave = (leave: () => void) => leaving.push(leave)
    await program.start({ ...opened, env, onStop, onLeave, probes, signal: stopping.signal })
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
  return runProcess(start, { onError, limitMs: graceMs })
}

/** Warns about variables with the prefix of the program that it does not read, since they are probably misspelt. */
function warnOfUnknown<P extends SettingsParts>(
  { service, env, parts }: ProcessProgram<P>,
  log: Logger,
): void {
  const known = new Set(namesOf({ ...parts, common: processPart }))
  const [word = ''] = service.split('-')
  const prefix = `RETICLE_${word.toUpperCase()}_`
  for (const name of Object.keys(env)) {
    if (name.startsWith(prefix) && !known.has(name))
      log.warn(`${name} is not a known setting; check the spelling`)
  }
}

function helpOf<P extends SettingsParts>({
  service,
  about,
  commands = {},
  parts,
}: ProcessProgram<P>): string {
  const words = Object.entries(commands).map(([word, one]) => `  ${word.padEnd(10)} ${one.about}`)
  const names = namesOf({ ...parts, common: processPart }).sort()
  return `${service}: ${about}

Without a word it serves until SIGTERM or SIGINT.
${words.length > 0 ? `\n${words.join('\n')}\n` : ''}
Settings are environment variables, described in docs/operations.md:
${names.map((name) => `  ${name}`).join('\n')}
`
}

const restMs = 2000

/**
 * Repeats `open` until it succeeds, because other parts of a cluster may start later. Rejects when the process stops.
 */
export async function openWithRetry<T>(
  { log, signal }: Pick<App<SettingsParts>, 'log' | 'signal'>,
  what: string,
  open: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await open()
    } catch (thrown) {
      const sentence = thrown instanceof Error ? thrown.message : String(thrown)
      log.warn(`waiting for ${what}: ${sentence}`)
      await sleep(restMs, undefined, { signal })
    }
  }
}
