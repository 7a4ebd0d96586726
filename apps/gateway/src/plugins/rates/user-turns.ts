import type { FastifyReply } from 'fastify'
import { isStream, type RequestCheck } from '../../call/request.ts'

/** Number of calls of one user that a process runs at once. */
export const callsAtOnce = 2

/** Maximum duration of a turn. A longer call waits for something other than this process, so it passes its turn on. */
const longestTurnMs = 50

interface Line {
  running: number
  waiting: (() => void)[]
}

/**
 * Creates the check that limits concurrent calls of one user, so that a user who floods the gateway only delays their
 * own calls (T-TEN-2). Streams and calls with a separate limit do not wait.
 */
export function createTurnCheck(turnMs = longestTurnMs): RequestCheck {
  const lines = new Map<number, Line>()

  return (request, reply, operation) => {
    const user_id = request.principal?.user_id
    if (user_id === undefined || isStream(operation) || operation.limit !== undefined) return
    const line = lines.get(user_id) ?? { running: 0, waiting: [] }
    lines.set(user_id, line)
    const begin = () => whenTurnEnds(reply, turnMs, passTurn)
    const passTurn = () => {
      const next = line.waiting.shift()
      if (next)
        setImmediate(next) // calls that others sent in the meantime are read first
      else if (--line.running === 0) lines.delete(user_id)
    }
    if (line.running < callsAtOnce) {
      line.running++
      return begin()
    }
    return new Promise((resolve) => {
      line.waiting.push(() => {
        begin()
        resolve()
      })
    })
  }
}

/** Calls `then` at the end of a turn: with the response, when the client disconnects, or after the maximum duration. */
function whenTurnEnds({ raw }: FastifyReply, turnMs: number, then: () => void): void {
  const end = () => {
    raw.off('close', end)
    clearTimeout(timer)
    then()
  }
  const isGone = raw.destroyed // disconnected while waiting
  const timer = setTimeout(end, isGone ? 0 : turnMs)
  raw.once('close', end)
}
