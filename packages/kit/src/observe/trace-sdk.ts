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

/** The only file that knows OpenTelemetry's SDK: `traces.ts` imports it when there is somebody to send to. */

export interface Tracing {
  stop: () => Promise<void>
}

const stopMs = 5000

export function exportTraces(service: string, endpoint: string): Tracing {
  const url = `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: stopMs })
  return record(service, new BatchSpanProcessor(exporter, { exportTimeoutMillis: stopMs }))
}

/** For tests: spans that have ended are kept in memory. */
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
      // A collector that is away is no reason to stop badly.
      await provider.shutdown().catch(() => undefined)
      trace.disable()
      context.disable()
    },
  }
}
