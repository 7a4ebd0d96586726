import type { CallContext } from '../call/context.ts'
import { type DomainError, kinds } from '../call/errors.ts'
import type { Logger } from '../observe/log.ts'
import { rpcSeconds } from '../observe/metrics.ts'
import { startWork, traceFields, traceIdOf } from '../observe/traces.ts'

/** Handler of a call and its service. */
export interface Called {
  /** Name of the form `<name>-svc`. */
  service: string
  operation: string
}

/** Call of a handler that is running. */
export interface WatchedCall {
  within: <T>(part: () => T) => T
  /** Trace context for the handler, so that its outgoing calls belong to the same trace. */
  traceparent: string | undefined
  /** Ends the measurement; only the first call has an effect. */
  end: (failure?: DomainError) => void
}

/** Measures a call and records it as a span of the trace of the caller; both end with the last byte of the response. */
export function watchCall({ service, operation }: Called, context: CallContext): WatchedCall {
  const started = performance.now()
  const { traceparent, request_id } = context
  const attributes = { 'rpc.method': operation, 'reticle.request_id': request_id }
  const work = startWork(operation, { kind: 'server', service, traceparent, attributes })
  let isOver = false
  return {
    within: work.within,
    traceparent: work.traceparent,
    end: (failure) => {
      if (isOver) return
      isOver = true
      const result = resultOf(failure)
      const seconds = (performance.now() - started) / 1000
      rpcSeconds.observe({ service, operation, result }, seconds)
      if (failure) work.note({ 'reticle.error': failure.kind })
      work.end(result === 'failed' ? failure : undefined)
    },
  }
}

function resultOf(failure: DomainError | undefined): 'ok' | 'refused' | 'failed' {
  if (!failure) return 'ok'
  return kinds[failure.kind].http < 500 ? 'refused' : 'failed'
}

/** Returns the fields that identify log lines of one call. */
function callFields({ request_id, principal, traceparent }: CallContext) {
  const trace_id = traceIdOf(traceparent)
  return {
    request_id,
    user_id: principal?.user_id ?? null,
    ...(trace_id && { trace_id }),
    ...traceFields(),
  }
}

/** Receives a failure that is not caused by input, to log it with its request. */
export interface OnBug {
  (thrown: unknown, context: CallContext): void
  /** Called when a call committed a change but could not respond. */
  committed?: (context: CallContext, { operation }: Called, cause: string) => void
}

/** Logs each bug and each change without a response as one line with the fields of its call. */
export function logBugs(log: Logger): OnBug {
  const failed = (err: unknown, context: CallContext) =>
    log.error({ err, ...callFields(context) }, 'a handler failed')
  const committed: OnBug['committed'] = (context, { operation }, cause) =>
    log.warn({ operation, cause, ...callFields(context) }, 'change committed without an answer')
  return Object.assign(failed, { committed })
}
