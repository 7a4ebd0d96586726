import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '@reticle/kit'
import { type ShownRow, toRequest } from './messages.ts'
import { isRunning } from './wait.ts'

/** At most two changes a second of one request (`spec/extensions.md` 5). */
const pauseMs = 500
/** Kept free, so that the end arrives as an end and not as a call that took too long. */
const reserveMs = 1000

interface Following {
  read: () => Promise<ShownRow[]>
  /** Ends when nothing of what is followed runs any more. */
  untilEnded: boolean
}

/**
 * Records of requests as they are now, and again at each change, a line of JSON each. Ends a little before the caller's deadline:
 * who wants to know more asks again.
 */
export async function* followLines(
  { read, untilEnded }: Following,
  { deadline, signal }: Pick<Context, 'deadline' | 'signal'>,
): AsyncGenerator<Uint8Array> {
  let told = new Map<string, string>()
  while (Date.now() < deadline - reserveMs) {
    const rows = await read()
    const seen = new Map(rows.map((row) => [row.request_uuid, stateOf(row)]))
    for (const row of rows) {
      if (told.get(row.request_uuid) !== seen.get(row.request_uuid)) yield lineOf(row)
    }
    if (untilEnded && !rows.some(isRunning)) return
    told = seen
    await sleep(pauseMs, undefined, { signal })
  }
}

const lineOf = (row: ShownRow) => Buffer.from(`${JSON.stringify(toRequest(row))}\n`)

/** The seconds that are left grow fewer by themselves: that is no change. */
const stateOf = (row: ShownRow) => JSON.stringify({ ...toRequest(row), eta_seconds: null })
