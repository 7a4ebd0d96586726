import { setTimeout as sleep } from 'node:timers/promises'
import type { CallContext } from '@reticle/kit'
import { sharedPause } from '@reticle/kit/scheduling/batch-reads'
import type { RequestRow } from '../db/schema.ts'
import type { ShownRow } from './messages.ts'

export const longestWait = 30_000 // milliseconds
/** Limit of calls with `wait` per user and process. */
export const mostWaits = 50
/** Milliseconds left before the deadline of the caller, so that the answer arrives in time. */
const reserve = 500

type Pauses = ReturnType<typeof createPauses>

/** Pauses from short to long. Waiting calls share them, so that they read at the same time. */
export const createPauses = () =>
  [10, 25, 50, 100, 200].map((ms) => ({ ms, pause: sharedPause(ms) }))

/** Chooses a pause of about a fortieth of the elapsed time, so that the end of a short request is seen soon. */
const pauseAfter = (ms: number, pauses: Pauses) =>
  pauses.findLast((one) => one.ms <= ms / 40) ?? pauses[0]

interface Waiting {
  read: () => Promise<ShownRow | undefined>
  seconds: number
  pauses: Pauses
}

/**
 * Reads a request until it has ended, `seconds` (30 at most) have passed, or the deadline of the caller is near. A
 * record that is deleted meanwhile is returned in its last state.
 */
export async function untilEnded(
  first: ShownRow,
  { read, seconds, pauses }: Waiting,
  { deadline, signal }: Pick<CallContext, 'deadline' | 'signal'>,
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
