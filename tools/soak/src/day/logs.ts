import { kindOf } from './ledger.ts'

/** Log lines of level warn or worse with the same message. */
export interface LogGroup {
  count: number
  /** Explained by an injected fault. */
  isExpected: boolean
  /** The first such line, complete. */
  example: string
}

const warn = 40

/** Messages of a start and a stop. */
const banner =
  /^(?:\s+(?:Administrator|Password|Open http|curl|npm run|Docs|Kept)|Reticle is ready at|\s*Ctrl-C|Stopping;)/

/** Messages caused by a killed database or process, and by misbehaving receivers. */
const expected = [
  /lost a connection: /,
  /(?:terminating connection due to|Connection terminated|not queryable|ECONNREFUSED|ECONNRESET|EPIPE|socket hang up)/,
  /(?:timeout exceeded when trying to connect|the database system is|not yet accepting connections)/,
  /PostgreSQL ended by itself, so Reticle ends too/,
  /conversion process exited; restarting/,
  /idempotent response not stored: (?:The service is busy|A part of the service did not answer)/,
  // an attempt of a request that will be repeated
  /worker: (?:The service is busy|The worker no longer holds this request|A part of the service did not answer|The object storage is not available)/,
  // from the shell that started a killed process, and from a broker that has just started
  /^Killed$/,
  /(?:kafka: Crash: KafkaJS\w+|the bus goes on after an error|bus error; retrying): (?:No broker available|Closed connection)/,
  /coordinator is loading|no leader|not the leader|does not host this topic-partition/,
  /webhooks-svc: webhook message failed/,
]

/** Groups log lines by message. */
export function groupsOf(lines: readonly string[]): Map<string, LogGroup> {
  const groups = new Map<string, LogGroup>()
  for (const line of lines) {
    const message = messageOf(line)
    if (message === undefined) continue
    const isExpected = expected.some((one) => one.test(message))
    const group = groups.get(message) ?? { count: 0, isExpected, example: line.slice(0, 2000) }
    groups.set(message, { ...group, count: group.count + 1 })
  }
  return groups
}

function messageOf(line: string): string | undefined {
  if (line.trim() === '' || banner.test(line)) return undefined
  try {
    const { level, service = '', msg, err } = JSON.parse(line)
    if (level < warn) return undefined
    return kindOf([service, msg, err?.message].filter(Boolean).join(': '))
  } catch {
    return kindOf(line)
  }
}
