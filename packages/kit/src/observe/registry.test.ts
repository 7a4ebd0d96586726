import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  counter,
  createTotals,
  metricNames,
  metricsText,
  readAtScrape,
  readGauge,
  resetMetrics,
  watchProcess,
} from './registry.ts'

const waiting = readGauge({ name: 'test_waiting', help: 'what waits', labelNames: ['place'] })
const seen = counter({ name: 'test_seen_total', help: 'what was seen' })

const valueAt = async (series: string) =>
  (await metricsText())
    .split('\n')
    .find((line) => line.startsWith(`${series} `))
    ?.split(' ')[1]
const here = 'test_waiting{place="here"}'
const reading = (value: number) => [{ gauge: waiting, labels: { place: 'here' }, value }]

test('a gauge is the sum of what its readers currently return, until they stop', async () => {
  let value = 3
  const forget = [
    readAtScrape(() => reading(value), { keepMs: 0 }),
    readAtScrape(async () => reading(40), { keepMs: 0 }),
  ]
  expect(await valueAt(here)).toBe('43')
  value = 1
  expect(await valueAt(here)).toBe('41')
  forget[0]?.()
  expect(await valueAt(here)).toBe('40')
  forget[1]?.()
  expect(await valueAt(here)).toBeUndefined()
})

test('a reading is kept for a while', async () => {
  let reads = 0
  const forget = readAtScrape(() => reading(++reads))
  expect(await valueAt(here)).toBe('1')
  expect(await valueAt(here)).toBe('1')
  forget()
})

test('a failing reader reports no value and does not affect other metrics', async () => {
  let isBroken = false
  const read = () => {
    if (isBroken) throw new Error('the database is away')
    return reading(7)
  }
  const forget = readAtScrape(read, { keepMs: 0 })
  expect(await valueAt(here)).toBe('7')
  isBroken = true
  seen.inc()
  expect(await valueAt(here)).toBeUndefined()
  expect(await valueAt('test_seen_total')).toBe('1')
  forget()
})

test('the metrics wait at most 2 s for a reader', async () => {
  const forget = readAtScrape(async () => {
    await sleep(60_000, undefined, { ref: false })
    return reading(9)
  })
  const started = performance.now()
  expect(await valueAt(here)).toBeUndefined()
  expect(performance.now() - started).toBeLessThan(4000)
  forget()
})

test('totals report count and sum by labels', async () => {
  const took = createTotals({
    name: 'test_took_seconds',
    help: 'a way',
    labelNames: ['way', 'end'],
  })
  took.observe({ way: 'there', end: 'ok' }, 1)
  took.observe({ end: 'ok', way: 'there' }, 2.5)
  took.observe({ way: 'back "home"', end: 'ok' }, 1)
  const text = await metricsText()
  expect(text).toContain('# HELP test_took_seconds a way\n# TYPE test_took_seconds summary\n')
  expect(text).toContain('test_took_seconds_count{way="there",end="ok"} 2\n')
  expect(text).toContain('test_took_seconds_sum{way="there",end="ok"} 3.5\n')
  expect(text).toContain('test_took_seconds_count{way="back \\"home\\"",end="ok"} 1\n')
  expect(text).not.toMatch(/^test_took_seconds\{/m)
  resetMetrics()
  expect(await metricsText()).not.toContain('test_took_seconds_count')
})

test('repeated calls register the process metrics once', async () => {
  watchProcess()
  watchProcess()
  expect(metricNames()).toEqual(
    expect.arrayContaining([
      'reticle_nodejs_eventloop_lag_seconds',
      'reticle_nodejs_gc_duration_seconds',
      'reticle_process_resident_memory_bytes',
    ]),
  )
})
