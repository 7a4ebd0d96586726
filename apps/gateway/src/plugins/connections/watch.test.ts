import { restOperations } from '@reticle/contracts'
import { metricsText, resetMetrics } from '@reticle/kit/observe/metrics'
import { rememberTraces } from '@reticle/kit/observe/trace-sdk'
import { afterAll, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'
import { routeSeconds } from './watch.ts'

resetMetrics()
const tracing = rememberTraces('gateway')
afterAll(tracing.stop)
const { send } = await startTestGateway()

const outside = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
const spanOf = (name: string) =>
  expect.poll(() => tracing.getFinishedSpans().find((span) => span.name === name))

test('calls are counted by route, and all calls without a route together', async () => {
  await send('/api/projects/7')
  await send('/api/projects/8')
  await send('/api/nothing/12')
  await send('/api/projects/7', { method: 'PURGE' as never })
  await expect
    .poll(metricsText)
    .toContain('duration_seconds_count{route="/projects/:id",method="GET",status="4xx"} 2\n')
  const text = await metricsText()
  expect(text).toContain('_count{route="other",method="other",status="4xx"} 2\n')
  expect(text).toContain('reticle_http_answer_seconds_bucket{le="10",status="4xx"} 4\n')
})

test('a call is a span of the trace that the client sent', async () => {
  await send('/api/projects/9', { headers: { traceparent: outside } })
  await spanOf('GET /projects/:id').toBeDefined()
  await expect
    .poll(() => tracing.getFinishedSpans().map((span) => span.parentSpanContext?.spanId))
    .toContain('b'.repeat(16))
})

test('an invalid traceparent starts a new trace', async () => {
  await send('/api/server/about', { as: null, headers: { traceparent: 'mine' } })
  await spanOf('GET /server/about').toMatchObject({ parentSpanContext: undefined })
})

test('metrics of all routes and statuses stay below 2,000 series', async () => {
  for (const { path: route, method } of restOperations.filter((one) => !one.gone))
    for (const status of ['2xx', '4xx'])
      routeSeconds.observe({ route, method: String(method), status }, 0.1)
  const series = (await metricsText()).split('\n').filter((line) => /^\w/.test(line))
  expect(series.length).toBeLessThan(1000)
})
