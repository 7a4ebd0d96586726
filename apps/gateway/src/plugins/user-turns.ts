import type { FastifyReply } from 'fastify'
import { type Check, isStream } from '../request.ts'

/** Calls of one user that one process works on at once. */
export const callsAtOnce = 2

/** What takes longer waits for something else than this process, and gives its turn on. */
const longestTurnMs = 50

interface Line {
  running: number
  waiting: (() => void)[]
}

/**
 * Whoever calls faster than they are answered waits for themselves: calls of one user take turns, a few at a time, so that
 * others find the process free (`reliability.md` 12, T-TEN-2). Streams and what has a limit of its own wait for nobody.
 */
export function takeTurns(turnMs = longestTurnMs): Check {
  const lines = new Map<number, Line>()

  return (request, reply, operation) => {
    const user_id = request.principal?.user_id
    if (user_id === undefined || isStream(operation) || operation.limit !== undefined) return
    const line = lines.get(user_id) ?? { running: 0, waiting: [] }
    lines.set(user_id, line)
    const begin = () => whenTurnEnds(reply, turnMs, give)
    const give = () => {
      const next = line.waiting.shift()
      if (next)
        setImmediate(next) // what others sent meanwhile is read first
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

/** It ends with the answer, when the client has gone away, or when it takes too long. */
function whenTurnEnds({ raw }: FastifyReply, turnMs: number, then: () => void): void {
  const end = () => {
    raw.off('close', end)
    clearTimeout(timer)
    then()
  }
  const isGone = raw.destroyed // while it waited
  const timer = setTimeout(end, isGone ? 0 : turnMs)
  raw.once('close', end)
}
