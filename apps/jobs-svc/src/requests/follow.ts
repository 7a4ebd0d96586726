import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '@reticle/kit'
import { pieceBytes } from '@reticle/kit/pieces'
import type { Slot } from '@reticle/kit/slots'
import { type ShownRow, toRequest } from './messages.ts'
import { isRunning } from './wait.ts'

/** A request is shown at most twice a second (`spec/extensions.md` 5). */
export const pauseMs = 500
/** Kept free, so that the stream ends before the call is cut at its deadline. */
const reserveMs = 1000
/** Event streams that one user may have open in one process. */
export const mostStreams = 20

interface Following {
  read: () => Promise<readonly ShownRow[]>
  /** The stream ends when none of its requests runs any more. */
  untilEnded: boolean
  /** Shared by all streams, so that they read together. */
  pause: (signal: AbortSignal) => Promise<void>
  slot: Slot
}

/**
 * Lines of JSON: requests as they are now, and again at each change. Ends a little before the caller's deadline. Only the
 * latest state is kept, so a slow reader skips states instead of queueing them.
 */
export async function* followLines(
  { read, untilEnded, pause, slot }: Following,
  { deadline, signal }: Pick<Context, 'deadline' | 'signal'>,
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

/** Whole lines in pieces; between two of them other calls get their turn. */
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
  /** Equal as long as nothing changes; the seconds that are left grow fewer by themselves, which is no change. */
  state: string
}

/** Streams that read together get the same rows: each is formatted once. */
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
