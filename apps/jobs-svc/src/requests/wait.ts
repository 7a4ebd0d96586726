import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '@reticle/kit'
import type { RequestRow } from '../db/schema.ts'
import type { ShownRow } from './messages.ts'

export const longestWait = 30_000 // milliseconds
/** A fortieth of the time that has passed, so that what is soon done is soon told. */
const pauseAfter = (ms: number) => Math.min(Math.max(ms / 40, 10), 200)
/** Kept free of waiting, so that the answer arrives before the caller gives up. */
const reserve = 500

/**
 * Reads a request until it has ended, or `seconds` (30 at most) have passed, or the caller's deadline is near.
 * A record that vanishes meanwhile is answered as it was.
 */
export async function untilEnded(
  first: ShownRow,
  read: () => Promise<ShownRow | undefined>,
  seconds: number,
  { deadline, signal }: Pick<Context, 'deadline' | 'signal'>,
): Promise<ShownRow> {
  const start = Date.now()
  const end = Math.min(start + Math.min(seconds * 1000, longestWait), deadline - reserve)
  let row = first
  while (isRunning(row) && Date.now() < end) {
    const now = Date.now()
    await sleep(Math.min(pauseAfter(now - start), end - now), undefined, { signal })
    row = (await read()) ?? row
  }
  return row
}

export const isRunning = ({ status }: RequestRow) => status === 'queued' || status === 'started'
