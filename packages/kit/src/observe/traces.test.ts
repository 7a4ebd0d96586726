import { afterEach, describe, expect, test } from 'vitest'
import { rememberTraces } from './trace-sdk.ts'
import {
  inSpan,
  readTraceparent,
  startTraces,
  startWork,
  traceBindings,
  traceFields,
  traceIdOf,
  traceparentNow,
} from './traces.ts'

const trace_id = 'a'.repeat(32)
const outside = `00-${trace_id}-${'b'.repeat(16)}-01`
const service = 'test'

test.each([
  [outside, outside],
  [`00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, undefined],
  [`00-${trace_id}-${'0'.repeat(16)}-01`, undefined],
  [`${outside}-more`, undefined],
  [`01-${trace_id}-${'b'.repeat(16)}-01`, undefined],
  [outside.toUpperCase(), undefined],
  [[outside, outside], undefined],
  [undefined, undefined],
])('only a complete traceparent is accepted from outside: %s', (given, read) => {
  expect(readTraceparent(given)).toBe(read)
})

describe('without recording', () => {
  test('a trace context is passed on unchanged', async () => {
    const { stop } = await startTraces({ service, endpoint: undefined })
    const work = startWork('a', { service, traceparent: outside })
    expect(work.traceparent).toBe(outside)
    expect(work.within(() => [traceparentNow(), traceFields()])).toEqual([undefined, undefined])
    expect(traceBindings(outside)).toEqual({ trace_id })
    expect(startWork('b', { service }).traceparent).toBeUndefined()
    await stop()
  })
})

describe('with recording', () => {
  const started: ReturnType<typeof rememberTraces>[] = []
  const record = () => {
    const tracing = rememberTraces('test')
    started.push(tracing)
    return () =>
      tracing.getFinishedSpans().map((span) => ({
        name: span.name,
        id: span.spanContext().spanId,
        trace: span.spanContext().traceId,
        parent: span.parentSpanContext?.spanId,
        isFailed: span.status.code === 2,
        attributes: span.attributes,
      }))
  }
  afterEach(async () => {
    for (const { stop } of started.splice(0)) await stop()
  })

  test('nested work becomes a child span, also after an await', async () => {
    const spans = record()
    await inSpan('outer', { service, traceparent: outside }, async () => {
      await Promise.resolve()
      await inSpan('inner', { service }, async () => {
        expect(traceFields()).toMatchObject({ trace_id })
        expect(traceIdOf(traceparentNow())).toBe(trace_id)
        expect(traceBindings(outside)).toEqual({})
      })
    })
    const [inner, outer] = spans()
    expect(outer).toMatchObject({ name: 'outer', trace: trace_id, parent: 'b'.repeat(16) })
    expect(inner).toMatchObject({ name: 'inner', trace: trace_id, parent: outer?.id })
  })

  test('a traceparent of the current trace yields to the current span; one of another trace wins', async () => {
    const spans = record()
    await inSpan('here', { service }, async (work) => {
      const { traceparent } = work
      await inSpan('nearer', { service }, () =>
        inSpan('nearest', { service, traceparent }, async () => undefined),
      )
      await inSpan('elsewhere', { service, traceparent: outside }, async () => undefined)
    })
    const all = new Map(spans().map((span) => [span.name, span]))
    expect(all.get('nearest')?.parent).toBe(all.get('nearer')?.id)
    expect(all.get('elsewhere')?.trace).toBe(trace_id)
  })

  test('a failure is recorded by its type, without its message', async () => {
    const spans = record()
    const failing = inSpan('a', { service }, async () => {
      throw new TypeError('of what a user sent: hunter2')
    })
    await expect(failing).rejects.toThrow('hunter2')
    expect(spans()).toMatchObject([{ isFailed: true, attributes: { 'error.type': 'TypeError' } }])
    expect(JSON.stringify(spans())).not.toContain('hunter2')
  })

  test('no span is recorded after the stop', async () => {
    const spans = record()
    for (const { stop } of started) await stop()
    await inSpan('late', { service }, async () => undefined)
    expect(spans()).toEqual([])
    expect(traceparentNow()).toBeUndefined()
  })
})

test('an unreachable collector neither fails nor delays the stop for long', async () => {
  const { stop } = await startTraces({ service, endpoint: 'http://127.0.0.1:9/' })
  await inSpan('a', { service }, async () => undefined)
  const started = performance.now()
  await stop()
  expect(performance.now() - started).toBeLessThan(8000)
})
