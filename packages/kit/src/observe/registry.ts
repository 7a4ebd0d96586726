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

/**
 * Registry of all instruments of this process. The global registry of
 * prom-client is not used because other code may register in it.
 */
const registry = new Registry()

/** Name, description and label names of an instrument. Labels never contain ids. */
type InstrumentOptions<L extends string> = Pick<
  CounterConfiguration<L>,
  'name' | 'help' | 'labelNames'
>

export const counter = <L extends string = never>(options: InstrumentOptions<L>): Counter<L> =>
  new Counter({ ...options, registers: [registry] })

/**
 * @param options the upper bounds of the buckets in seconds:
 * each bound is a time series for every set of labels
 */
export const histogram = <L extends string = never>(
  options: InstrumentOptions<L> & { buckets: number[] },
): Histogram<L> => new Histogram({ ...options, registers: [registry] })

/** Creates an instrument that reports count and sum without buckets: two time series for every set of labels. */
export function createTotals<L extends string = never>(
  options: InstrumentOptions<L> & { labelNames: readonly L[] },
): Totals<L> {
  const made = new Totals(options)
  registry.registerMetric(made as unknown as Metric) // it implements all members that the registry uses
  return made
}

/** Removes the previous values of each gauge; a plain `reset` would report 0 for a gauge without labels. */
const clearings: (() => void)[] = []

/** Creates a gauge whose values are read only when metrics are scraped (`readAtScrape`). */
export function readGauge<L extends string = never>(options: InstrumentOptions<L>): Gauge<L> {
  const gauge = new Gauge({ ...options, registers: [registry] })
  clearings.push(options.labelNames ? () => gauge.reset() : () => gauge.remove())
  return gauge
}

/** Value of a gauge. Readings of several readers with the same labels are added up. */
export interface GaugeReading {
  gauge: Pick<Gauge, 'inc'>
  labels?: Record<string, string>
  value: number
}

interface Reader {
  current: () => Promise<readonly GaugeReading[]>
}
const readers = new Set<Reader>()

const readWithinMs = 2000

export interface ReaderOptions {
  /** Milliseconds for which readings are reused. Default: 5 s. */
  keepMs?: number
}

/**
 * Calls `read` for the values of its gauges when metrics are scraped, at most once per `keepMs`. A reader that fails or
 * takes longer than 2 s reports nothing that time, because a missing value is better than an outdated one. Several
 * instances in one process may read the same gauges.
 * @returns a function that stops it
 */
export function readAtScrape(
  read: () => readonly GaugeReading[] | Promise<readonly GaugeReading[]>,
  { keepMs = 5000 }: ReaderOptions = {},
): () => void {
  let kept: { until: number; readings: Promise<readonly GaugeReading[]> } | undefined
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

function inTime(readings: Promise<readonly GaugeReading[]>): Promise<readonly GaugeReading[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, readWithinMs, [])
    readings.then(resolve, () => resolve([])).finally(() => clearTimeout(timer))
  })
}

/** Returns all metrics of this process for Prometheus (text format 0.0.4). A failing reader does not make it fail. */
export async function metricsText(): Promise<string> {
  const readings = await Promise.all([...readers].map((reader) => reader.current()))
  for (const clear of clearings) clear()
  for (const { gauge, labels = {}, value } of readings.flat()) gauge.inc(labels, value)
  return registry.metrics()
}

/** Resets every instrument to its initial state, for tests that read values which other tests have counted too. */
export const resetMetrics = (): void => registry.resetMetrics()

/** Returns the names of all instruments, without the suffixes of their time series. */
export const metricNames = (): string[] =>
  registry.getMetricsAsArray().map(({ name }: { name: string }) => name)

let isWatchingProcess = false

/**
 * Registers memory, processor, event-loop lag and garbage collection under `reticle_`, measured from the first call on.
 */
export function watchProcess(): void {
  if (isWatchingProcess) return
  isWatchingProcess = true
  collectDefaultMetrics({ register: registry, prefix: 'reticle_' })
}
