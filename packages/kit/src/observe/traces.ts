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
 * Spans at our own borders, made by hand (`reliability.md` 16.2). Without `startTraces` nothing records them, and what is
 * left of a trace is the `traceparent` (W3C Trace Context) that is passed on as it came.
 */

export interface TracesOptions {
  /** Name of the process in traces, e.g. `gateway`. */
  service: string
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`: base address of a collector (OTLP over HTTP); undefined: no traces, and no SDK in memory. */
  endpoint: string | undefined
}

/** Starts recording for this process (or thread) and sending to `endpoint`. `stop` sends what is left, for 5 s at most. */
export async function startTraces({ service, endpoint }: TracesOptions): Promise<Tracing> {
  if (endpoint === undefined || endpoint === '') return { stop: async () => undefined }
  const { exportTraces } = await import('./trace-sdk.ts')
  return exportTraces(service, endpoint)
}

export interface SpanOptions {
  kind?: keyof typeof kinds
  /** Who makes the span: the service, which several of may live in one process. */
  service: string
  /** The span that this one continues, from elsewhere; where the same trace is at hand here, the span at hand is nearer. */
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

/** A piece of work under way. */
export interface Work {
  /** Runs `part` as part of it: spans and log lines in there belong to it. */
  within: <T>(part: () => T) => T
  /** To be handed to whoever goes on with it; what came in where nothing records. */
  traceparent: string | undefined
  note: (attributes: Attributes) => void
  /** Once; `failure` only for what is a fault, a refusal is none. */
  end: (failure?: unknown) => void
}

export function startWork(name: string, options: SpanOptions): Work {
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

/** Undefined where nothing records: then spans that nobody sees are not made either, several for every call. */
function tracerOf(service: string): Tracer | undefined {
  const provider = trace.getTracerProvider()
  const isProxy = provider instanceof ProxyTracerProvider
  return isProxy ? provider.getDelegateTracer(service) : provider.getTracer(service)
}

const unrecorded = (traceparent: string | undefined): Work => ({
  within: (part) => part(),
  traceparent,
  note: () => undefined,
  end: () => undefined,
})

/** Runs `part` as a span; it fails as `part` does. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  part: (work: Work) => Promise<T>,
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

/** Names the error, without its text: that may quote what somebody sent. */
function fail(span: Span, failure: unknown): void {
  const type = failure instanceof Error ? failure.name : typeof failure
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type)
}

/** `traceparent` of the span at hand; undefined where none is recorded. */
export function traceparentNow(): string | undefined {
  return textOf(trace.getActiveSpan()?.spanContext())
}

/** Fields of log lines that are written as part of a span. */
export function traceFields(): { trace_id: string; span_id: string } | undefined {
  const now = trace.getActiveSpan()?.spanContext()
  return now && trace.isSpanContextValid(now)
    ? { trace_id: now.traceId, span_id: now.spanId }
    : undefined
}

/** The same for a logger that belongs to one piece of work, where no span says it on every line. */
export function traceBindings(traceparent: string | undefined): { trace_id?: string } {
  const trace_id = traceIdOf(traceparent)
  return trace_id && !traceFields() ? { trace_id } : {}
}

const form = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/

/** A header as it came from outside, where it is a `traceparent` of the version that everybody sends. */
export const readTraceparent = (given: unknown): string | undefined =>
  typeof given === 'string' && isValid(given) ? given : undefined

/** Id of the trace that a `traceparent` belongs to. */
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
