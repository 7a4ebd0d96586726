import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '@reticle/kit'
import { sharedPause } from '@reticle/kit/shared-pause'
import type { RequestRow } from '../db/schema.ts'
import type { ShownRow } from './messages.ts'

export const longestWait = 30_000 // milliseconds
/** Calls with `wait` that one user may have open in one process. */
export const mostWaits = 50
/** Kept free of waiting, so that the answer arrives before the caller gives up. */
const reserve = 500

type Pauses = ReturnType<typeof createPauses>

/** From short to long. Calls that wait share them, so that they read together. */
export const createPauses = () =>
  [10, 25, 50, 100, 200].map((ms) => ({ ms, pause: sharedPause(ms) }))

/** About a fortieth of the time that has passed: the end of a short request is seen soon. */
const pauseAfter = (ms: number, pauses: Pauses) =>
  pauses.findLast((one) => one.ms <= ms / 40) ?? pauses[0]

interface Waiting {
  read: () => Promise<ShownRow | undefined>
  seconds: number
  pauses: Pauses
}

/**
 * Reads a request until it has ended, or `seconds` (30 at most) have passed, or the caller's deadline is near.
 * A record that vanishes meanwhile is answered as it was.
 */
export async function untilEnded(
  first: ShownRow,
  { read, seconds, pauses }: Waiting,
  { deadline, signal }: Pick<Context, 'deadline' | 'signal'>,
): Promise<ShownRow> {
  const start = Date.now()
  const end = Math.min(start + Math.min(seconds * 1000, longestWait), deadline - reserve)
  let row = first
  while (isRunning(row) && Date.now() < end) {
    const now = Date.now()
    const next = pauseAfter(now - start, pauses)
    if (next && next.ms < end - now) await next.pause(signal)
    else await sleep(end - now, undefined, { signal })
    row = (await read()) ?? row
  }
  return row
}

export const isRunning = ({ status }: RequestRow) => status === 'queued' || status === 'started'
