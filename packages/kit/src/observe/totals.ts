/** Observations under one set of label values. */
interface Total<L extends string> {
  labels: Record<L, string>
  count: number
  sum: number
}

/** Options of `createTotals`. */
export interface TotalsOptions<L extends string> {
  name: string
  help: string
  labelNames: readonly L[]
}

/**
 * Count and sum of durations: a summary without quantiles. The summary of prom-client keeps a digest of all values for
 * quantiles that are not used, at a cost for every call of the gateway.
 */
export class Totals<L extends string = never> {
  readonly name: string
  readonly #help: string
  readonly #labelNames: readonly L[]
  readonly #all = new Map<string, Total<L>>()

  constructor({ name, help, labelNames }: TotalsOptions<L>) {
    this.name = name
    this.#help = help
    this.#labelNames = labelNames
  }

  /** Adds an observation in seconds. */
  observe(labels: Record<L, string>, seconds: number): void {
    let key = ''
    for (const name of this.#labelNames) key += `${labels[name]}\n` // labels contain no line breaks
    const known = this.#all.get(key)
    if (!known) {
      this.#all.set(key, { labels, count: 1, sum: seconds })
      return
    }
    known.count++
    known.sum += seconds
  }

  /** Returns the values in the form that the registry expects. */
  async get() {
    const values = [...this.#all.values()].flatMap(({ labels, count, sum }) => [
      { labels, value: sum, metricName: `${this.name}_sum` },
      { labels, value: count, metricName: `${this.name}_count` },
    ])
    return { name: this.name, help: this.#help, type: 'summary', values }
  }

  reset(): void {
    this.#all.clear()
  }
}
