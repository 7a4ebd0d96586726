import {
  type Attributes,
  context,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Context as Surroundings,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Tracing } from './trace-sdk.ts'

/**
 * Trace recording. Spans are created manually at the boundaries of the services. Without `startTraces` none
 * are recorded, and only the `traceparent` (W3C Trace Context) is passed on.
 */

export interface TracesOptions {
  /** Name of the process in traces, such as `gateway`. */
  service: string
  /**
   * Base address of a collector (OTLP over HTTP), from `OTEL_EXPORTER_OTLP_ENDPOINT`. If undefined, nothing is recorded
   * and the SDK is not loaded.
   */
  endpoint: string | undefined
}

/**
 * Starts recording for this process (or thread) and sending to
 * `endpoint`. `stop` sends the remaining spans, within 5 s.
 */
export async function startTraces({ service, endpoint }: TracesOptions): Promise<Tracing> {
  if (endpoint === undefined || endpoint === '') return { stop: async () => undefined }
  const { exportTraces } = await import('./trace-sdk.ts')
  return exportTraces(service, endpoint)
}

export interface SpanOptions {
  kind?: keyof typeof kinds
  /** Service that creates the span; one process may run several. */
  service: string
  /** Remote span to continue. If the current span belongs to the same trace, the current span is the parent. */
  traceparent?: string
  attributes?: Attributes
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const

/** Running piece of work. */
export interface TracedWork {
  /** Runs `part` within this work: its spans and log lines belong to it. */
  within: <T>(part: () => T) => T
  /** Trace context to pass on; without recording it is the incoming one. */
  traceparent: string | undefined
  note: (attributes: Attributes) => void
  /** Ends the work, once. `failure` is only for a fault, not for a refusal. */
  end: (failure?: unknown) => void
}

export function startWork(name: string, options: SpanOptions): TracedWork {
  const { kind = 'internal', service, traceparent, attributes } = options
  const tracer = tracerOf(service)
  if (!tracer) return unrecorded(traceparent)
  const parent = parentOf(traceparent)
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent)
  const inside = trace.setSpan(parent, span)
  return {
    within: (part) => context.with(inside, part),
    traceparent: textOf(span.spanContext()) ?? traceparent,
    note: (more) => span.setAttributes(more),
    end: (failure) => {
      if (failure !== undefined) fail(span, failure)
      span.end()
    },
  }
}

/** Returns undefined without recording, so that no span objects are created for nothing. */
function tracerOf(service: string): Tracer | undefined {
  const provider = trace.getTracerProvider()
  const isProxy = provider instanceof ProxyTracerProvider
  return isProxy ? provider.getDelegateTracer(service) : provider.getTracer(service)
}

const unrecorded = (traceparent: string | undefined): TracedWork => ({
  within: (part) => part(),
  traceparent,
  note: () => undefined,
  end: () => undefined,
})

/** Runs `part` as a span. It rejects like `part`. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  part: (work: TracedWork) => Promise<T>,
): Promise<T> {
  const work = startWork(name, options)
  try {
    const result = await work.within(() => part(work))
    work.end()
    return result
  } catch (thrown) {
    work.end(thrown)
    throw thrown
  }
}

/** Records the type of the error but not its message, which may quote input of users. */
function fail(span: Span, failure: unknown): void {
  const type = failure instanceof Error ? failure.name : typeof failure
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type)
}

/** Returns the `traceparent` of the current span, or undefined without one. */
export function traceparentNow(): string | undefined {
  return textOf(trace.getActiveSpan()?.spanContext())
}

/** Returns the trace fields of log lines within the current span. */
export function traceFields(): { trace_id: string; span_id: string } | undefined {
  const now = trace.getActiveSpan()?.spanContext()
  return now && trace.isSpanContextValid(now)
    ? { trace_id: now.traceId, span_id: now.spanId }
    : undefined
}

/** Returns the trace field for a logger of one piece of work, if no span adds it to every line. */
export function traceBindings(traceparent: string | undefined): { trace_id?: string } {
  const trace_id = traceIdOf(traceparent)
  return trace_id && !traceFields() ? { trace_id } : {}
}

const form = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/

/** Returns an incoming header if it is a valid `traceparent` of version 00. */
export const readTraceparent = (given: unknown): string | undefined =>
  typeof given === 'string' && isValid(given) ? given : undefined

/** Returns the trace id of a `traceparent`. */
export const traceIdOf = (traceparent: string | undefined): string | undefined =>
  form.exec(traceparent ?? '')?.[1]

function isValid(text: string): boolean {
  const remote = spanContextOf(text)
  return remote !== undefined && trace.isSpanContextValid(remote)
}

function parentOf(traceparent: string | undefined): Surroundings {
  const here = context.active()
  const remote = traceparent === undefined ? undefined : spanContextOf(traceparent)
  const isHere = remote?.traceId === trace.getSpanContext(here)?.traceId
  return remote && !isHere ? trace.setSpanContext(ROOT_CONTEXT, remote) : here
}

function spanContextOf(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = form.exec(text) ?? []
  if (!traceId || !spanId || !flags) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}

function textOf(span: SpanContext | undefined): string | undefined {
  if (!span || !trace.isSpanContextValid(span)) return undefined
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`
}
