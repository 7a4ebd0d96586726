import { type DestinationStream, type Logger, pino } from 'pino'
import { isConnectionLost } from '../net/connection-lost.ts'
import { traceFields } from './traces.ts'

export type { Logger }

export interface LogOptions {
  level: string
  format: 'json' | 'pretty'
}

const secret = ['authorization', 'cookie', 'secret', 'password', 'token', 'signature', 'credential']

/**
 * Creates the logger of a process; with null its child loggers name their services. It writes JSON lines or a format
 * for people. Values under names of secrets are redacted, and lines within a span carry its ids.
 * @param to destination of JSON lines; by default standard output
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

/** Formats an error. An unreachable server causes many errors, whose stack traces are not useful. */
function errorFields(thrown: unknown) {
  if (!(thrown instanceof Error)) return thrown
  const { stack, ...fields } = pino.stdSerializers.err(thrown)
  return isConnectionLost(thrown) ? fields : { ...fields, stack }
}

/** Logger that discards everything, for tests and tools. */
export const silentLog: Logger = pino({ level: 'silent' })
