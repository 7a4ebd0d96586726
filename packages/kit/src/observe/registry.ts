import {
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  Registry,
} from 'prom-client'
import { Totals } from './totals.ts'

/** Every instrument of this process. Not prom-client's own registry, which belongs to whoever else uses it. */
const registry = new Registry()

/** What an instrument is called, what it says, and by which names its values differ. Labels never carry ids. */
type Told<L extends string> = Pick<CounterConfiguration<L>, 'name' | 'help' | 'labelNames'>

export const counter = <L extends string = never>(told: Told<L>): Counter<L> =>
  new Counter({ ...told, registers: [registry] })

/** @param told with the upper bounds of its buckets, in seconds: each bound is a series for every set of labels */
export const histogram = <L extends string = never>(
  told: Told<L> & { buckets: number[] },
): Histogram<L> => new Histogram({ ...told, registers: [registry] })

/** How often and how long in all, without buckets: two series for every set of labels. */
export function totals<L extends string = never>(
  told: Told<L> & { labelNames: readonly L[] },
): Totals<L> {
  const made = new Totals(told)
  registry.registerMetric(made as unknown as Metric) // all that it calls of them is there
  return made
}

/** Takes the values of the last time from each gauge; a plain `reset` would say 0 where there are no labels. */
const clearings: (() => void)[] = []

/** A gauge whose values are read when somebody looks (`readAtScrape`), and by nobody else. */
export function readGauge<L extends string = never>(told: Told<L>): Gauge<L> {
  const gauge = new Gauge({ ...told, registers: [registry] })
  clearings.push(told.labelNames ? () => gauge.reset() : () => gauge.remove())
  return gauge
}

/** One value of a gauge. Readings of several readers under the same labels are added up. */
export interface Reading {
  gauge: Pick<Gauge, 'inc'>
  labels?: Record<string, string>
  value: number
}

interface Reader {
  current: () => Promise<readonly Reading[]>
}
const readers = new Set<Reader>()

const readWithinMs = 2000

export interface ReaderOptions {
  /** For how long readings are good enough; 5 s. */
  keepMs?: number
}

/**
 * Lets `read` say the values of its gauges when metrics are asked for, not more often than every `keepMs`. A reader that
 * fails or takes longer than 2 s says nothing that time: no value is better than an old one.
 *
 * @returns how to stop: any number of instances may read for the same gauges in one process
 */
export function readAtScrape(
  read: () => readonly Reading[] | Promise<readonly Reading[]>,
  { keepMs = 5000 }: ReaderOptions = {},
): () => void {
  let kept: { until: number; readings: Promise<readonly Reading[]> } | undefined
  const reader: Reader = {
    current: () => {
      const now = performance.now()
      if (!kept || kept.until <= now) {
        const readings = Promise.resolve().then(read)
        kept = { until: now + keepMs, readings }
        readings.catch(() => undefined)
      }
      return inTime(kept.readings)
    },
  }
  readers.add(reader)
  return () => readers.delete(reader)
}

function inTime(readings: Promise<readonly Reading[]>): Promise<readonly Reading[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, readWithinMs, [])
    readings.then(resolve, () => resolve([])).finally(() => clearTimeout(timer))
  })
}

/** All metrics of this process as Prometheus reads them (text format 0.0.4). It never fails for want of a reading. */
export async function metricsText(): Promise<string> {
  const readings = await Promise.all([...readers].map((reader) => reader.current()))
  for (const clear of clearings) clear()
  for (const { gauge, labels = {}, value } of readings.flat()) gauge.inc(labels, value)
  return registry.metrics()
}

/** Every instrument as at the start of the process, for tests that read what others have counted too. */
export const resetMetrics = (): void => registry.resetMetrics()

/** Names of all instruments, without the suffixes of their series. */
export const metricNames = (): string[] =>
  registry.getMetricsAsArray().map(({ name }: { name: string }) => name)

let isWatchingProcess = false

/** Memory, processor, event-loop lag and garbage collection under `reticle_`; measured from the first call on. */
export function watchProcess(): void {
  if (isWatchingProcess) return
  isWatchingProcess = true
  collectDefaultMetrics({ register: registry, prefix: 'reticle_' })
}
