import { type DomainError, kinds } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Context } from '../rpc/context.ts'
import { rpcSeconds } from './metrics.ts'
import { startWork, traceFields, traceIdOf } from './traces.ts'

/** Which handler is called, and whose it is. */
export interface Called {
  /** `<name>-svc` */
  service: string
  operation: string
}

/** A call of a handler under way. */
export interface WatchedCall {
  within: <T>(part: () => T) => T
  /** What the handler gets: what it asks others for is part of the same trace. */
  traceparent: string | undefined
  /** The first time counts. */
  end: (failure?: DomainError) => void
}

/** Measures a call and makes it a span of the caller's trace; both end with the last byte of the answer. */
export function watchCall({ service, operation }: Called, context: Context): WatchedCall {
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

/** Fields by which log lines about one call are found (`reliability.md` 16.2). */
function callFields({ request_id, principal, traceparent }: Context) {
  const trace_id = traceIdOf(traceparent)
  return {
    request_id,
    user_id: principal?.user_id ?? null,
    ...(trace_id && { trace_id }),
    ...traceFields(),
  }
}

/** What is done with a failure that is nobody's input: logged once, with the request it belongs to. */
export interface OnBug {
  (thrown: unknown, context: Context): void
  /** A call committed a change and could not answer. */
  committed?: (context: Context, { operation }: Called, cause: string) => void
}

/** The usual fate of bugs and of unanswered changes: a line each, with the call they belong to. */
export function logBugs(log: Logger): OnBug {
  const failed = (err: unknown, context: Context) =>
    log.error({ err, ...callFields(context) }, 'a handler failed')
  const committed: OnBug['committed'] = (context, { operation }, cause) =>
    log.warn({ operation, cause, ...callFields(context) }, 'change committed without an answer')
  return Object.assign(failed, { committed })
}
