import type { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'

/** Registers how to stop a part that was just started, with a name for the log. */
export type OnStop = (name: string, stop: () => Promise<void> | void) => void

export interface ProcessOptions {
  /** Receives the name of a part that failed to start or to stop, and the error. */
  onError: (name: string, error: unknown) => void
  /** Source of signals; by default the process. */
  signals?: EventEmitter
  limitMs?: number
  /** Milliseconds within which a repeated signal counts as an echo by the terminal or npm. */
  echoMs?: number
}

const signalNames = ['SIGINT', 'SIGTERM'] as const

/**
 * Runs a process: starts it, waits for SIGINT or SIGTERM, and stops the started parts in reverse order within 30 s of
 * the signal, even if `start` hangs. A second signal, other than an echo of the first, ends the wait. If `start` fails,
 * the parts that were started are stopped.
 * @returns the exit code: 0, or 1 if a part failed to start, to stop, or to stop in time
 */
export async function runProcess(
  start: (onStop: OnStop) => Promise<void>,
  { onError, signals = process, limitMs = 30_000, echoMs = 2000 }: ProcessOptions,
): Promise<number> {
  keepObjectsYoung()
  const stops: { name: string; stop: () => Promise<void> | void }[] = []
  const signalled = listen(signals, echoMs)
  let code = 0
  const failed = (name: string, error: unknown) => {
    code = 1
    onError(name, error)
  }
  const stopAll = async () => {
    for (const { name, stop } of stops.reverse()) {
      await Promise.resolve()
        .then(stop)
        .catch((error) => failed(name, error))
    }
  }

  const started = start((name, stop) => stops.push({ name, stop })).then(
    () => true,
    (error) => {
      failed('start', error)
      return false
    },
  )
  const over = started.then((isStarted) => (isStarted ? signalled.first : undefined))
  const done = over.then(stopAll).then(() => 'done' as const)
  const late = Promise.race([over, signalled.first]).then(() =>
    sleep(limitMs, 'late' as const, { ref: false }),
  )
  const ended = await Promise.race([done, late, signalled.second.then(() => 'again' as const)])
  if (ended === 'late') failed('stop', new Error(`not stopped within ${limitMs / 1000} s`))
  if (ended === 'again')
    failed('stop', new Error('a second signal came before everything was stopped'))
  signalled.forget()
  return code
}

/** Waits for the first signal, and for the next one that is not an echo of it. */
function listen(signals: EventEmitter, echoMs: number) {
  const received: { name: string; at: number }[] = []
  let resolveFirst = () => {}
  let resolveSecond = () => {}
  const first = new Promise<void>((resolve) => {
    resolveFirst = resolve
  })
  const second = new Promise<void>((resolve) => {
    resolveSecond = resolve
  })
  const onSignal = (name: string) => () => {
    const [before] = received
    const at = performance.now()
    received.push({ name, at })
    if (!before) resolveFirst()
    else if (before.name !== name || at - before.at > echoMs) resolveSecond()
  }
  const listeners = signalNames.map((name) => ({ name, listener: onSignal(name) }))
  for (const { name, listener } of listeners) signals.on(name, listener)
  const forget = () => {
    for (const { name, listener } of listeners) signals.off(name, listener)
  }
  return { first, second, forget }
}

/**
 * Makes the engine allocate every object in the young generation, for all threads of the process. Otherwise batches of
 * a stream could be allocated in the old generation and stay until the next full collection, hundreds of MiB of them
 * (`docs/adr/0033-disable-v8-allocation-site-pretenuring.md`).
 */
export function keepObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
