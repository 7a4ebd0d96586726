import { context, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node'

/**
 * Trace recording with the SDK of OpenTelemetry. This is the only file that uses it; `traces.ts` imports it only if
 * there is a collector.
 */

export interface Tracing {
  stop: () => Promise<void>
}

const stopMs = 5000

export function exportTraces(service: string, endpoint: string): Tracing {
  const url = `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: stopMs })
  return record(service, new BatchSpanProcessor(exporter, { exportTimeoutMillis: stopMs }))
}

/** Records ended spans in memory, for tests. */
export function rememberTraces(
  service: string,
): Tracing & Pick<InMemorySpanExporter, 'getFinishedSpans'> {
  const exporter = new InMemorySpanExporter()
  const tracing = record(service, new SimpleSpanProcessor(exporter))
  return { ...tracing, getFinishedSpans: () => exporter.getFinishedSpans() }
}

function record(service: string, processor: SpanProcessor): Tracing {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [processor],
  })
  provider.register()
  return {
    stop: async () => {
      // An unreachable collector must not make the stop fail.
      await provider.shutdown().catch(() => undefined)
      trace.disable()
      context.disable()
    },
  }
}
