import { type DestinationStream, type Logger, pino } from 'pino'
import { isConnectionLost } from './db/errors.ts'
import { traceFields } from './observe/traces.ts'

export type { Logger }

export interface LogOptions {
  level: string
  format: 'json' | 'pretty'
}

const secret = ['authorization', 'cookie', 'secret', 'password', 'token', 'signature', 'credential']

/**
 * One logger a process, or with null one whose children name their services: JSON lines, or for people. Values under
 * secret names never appear; lines that are written as part of a span name it (`reliability.md` 16.2).
 *
 * @param to where JSON lines go, if not to standard output
 */
export function createLog(
  service: string | null,
  { level, format }: LogOptions,
  to?: DestinationStream,
): Logger {
  const redact = secret.flatMap((name) => [name, `*.${name}`])
  const mixin = () => traceFields() ?? {}
  const base = service === null ? {} : { service }
  const options = { level, base, redact, mixin, serializers: { err: errorFields } }
  if (format === 'json') return to ? pino(options, to) : pino(options)
  const ignore = 'pid,hostname,service'
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { ignore, singleLine: true } },
  })
}

/** While a server is away its errors are many, and where they were met tells nobody anything. */
function errorFields(thrown: unknown) {
  if (!(thrown instanceof Error)) return thrown
  const { stack, ...fields } = pino.stdSerializers.err(thrown)
  return isConnectionLost(thrown) ? fields : { ...fields, stack }
}

/** For tests and tools that have nobody to read it. */
export const silentLog: Logger = pino({ level: 'silent' })
