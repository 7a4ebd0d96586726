import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CallContext } from '@reticle/kit'
import { pieceBytes } from '@reticle/kit/call/pieces'
import type { Slot } from '@reticle/kit/scheduling/slots'
import { type ShownRow, toRequest } from './messages.ts'
import { isRunning } from './wait.ts'

/** Shortest time between two records of one request. */
export const pauseMs = 500
/** Time left before the deadline of the call, so that the stream ends by itself first. */
const reserveMs = 1000
/** Limit of open event streams per user and process. */
export const mostStreams = 20

interface Following {
  read: () => Promise<readonly ShownRow[]>
  /** Ends the stream when none of its requests is running. */
  untilEnded: boolean
  /** Pause that all streams share, so that they read at the same time. */
  pause: (signal: AbortSignal) => Promise<void>
  slot: Slot
}

/**
 * Streams JSON lines: each request in its current state, and again at each change. Ends shortly before the deadline of
 * the caller. Keeps only the latest state, so a slow reader skips states instead of queueing them.
 */
export async function* followLines(
  { read, untilEnded, pause, slot }: Following,
  { deadline, signal }: Pick<CallContext, 'deadline' | 'signal'>,
): AsyncGenerator<Uint8Array> {
  try {
    let shown = new Map<string, Form>()
    while (!slot.isFree && Date.now() < deadline - reserveMs) {
      const rows = await read()
      const seen = new Map(rows.map((row) => [row.request_uuid, formOf(row)]))
      const changed = [...seen].filter(([uuid, { state }]) => shown.get(uuid)?.state !== state)
      yield* joinLines(changed.map(([, { line }]) => line))
      if (untilEnded && !rows.some(isRunning)) return
      shown = seen
      await pause(signal)
    }
  } finally {
    slot.free()
  }
}

/** Joins lines into larger pieces; yields to the event loop between two of them. */
async function* joinLines(lines: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  let piece: Buffer[] = []
  let size = 0
  for (const line of lines) {
    if (size > 0 && size + line.length > pieceBytes) {
      yield Buffer.concat(piece)
      await nextTurn()
      piece = []
      size = 0
    }
    piece.push(line)
    size += line.length
  }
  if (size > 0) yield Buffer.concat(piece)
}

interface Form {
  line: Buffer
  /** Text to compare for changes. It excludes the seconds left, which decrease without a change of the request. */
  state: string
}

/** Formatted records by row. Streams that read together receive the same rows, so each row is formatted once. */
const forms = new WeakMap<ShownRow, Form>()

function formOf(row: ShownRow): Form {
  const known = forms.get(row)
  if (known) return known
  const request = toRequest(row)
  const line = Buffer.from(`${JSON.stringify(request)}\n`)
  const form = { line, state: JSON.stringify({ ...request, eta_seconds: null }) }
  forms.set(row, form)
  return form
}
