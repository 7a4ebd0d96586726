import { restOperations } from '@reticle/contracts'
import { metricsText, resetMetrics } from '@reticle/kit/observe/metrics'
import { rememberTraces } from '@reticle/kit/observe/trace-sdk'
import { afterAll, expect, test } from 'vitest'
import { testGateway } from '../testing/gateway.ts'
import { rowSeconds } from './watch.ts'

resetMetrics()
const tracing = rememberTraces('gateway')
afterAll(tracing.stop)
const { send } = await testGateway()

const outside = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
const spanOf = (name: string) =>
  expect.poll(() => tracing.getFinishedSpans().find((span) => span.name === name))

test('requests are counted under their row, whatever the ids, and everything else in one place', async () => {
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

test('a request is a span of the trace its client names', async () => {
  await send('/api/projects/9', { headers: { traceparent: outside } })
  await spanOf('GET /projects/:id').toBeDefined()
  await expect
    .poll(() => tracing.getFinishedSpans().map((span) => span.parentSpanContext?.spanId))
    .toContain('b'.repeat(16))
})

test('what is no traceparent begins a trace', async () => {
  await send('/api/server/about', { as: null, headers: { traceparent: 'mine' } })
  await spanOf('GET /server/about').toMatchObject({ parentSpanContext: undefined })
})

test('every row, answered and refused, stays below 2,000 series', async () => {
  for (const { path: route, method } of restOperations.filter((one) => !one.gone))
    for (const status of ['2xx', '4xx'])
      rowSeconds.observe({ route, method: String(method), status }, 0.1)
  const series = (await metricsText()).split('\n').filter((line) => /^\w/.test(line))
  expect(series.length).toBeLessThan(1000)
})
