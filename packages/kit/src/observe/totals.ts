/** Label values of one set, and what was observed under them. */
interface Total<L extends string> {
  labels: Record<L, string>
  count: number
  sum: number
}

/** What `totals` takes. */
export interface TotalsOptions<L extends string> {
  name: string
  help: string
  labelNames: readonly L[]
}

/**
 * How often and how long in all: a summary without quantiles. That of prom-client keeps a digest of all values for quantiles
 * that nobody asks for, and every call of the gateway would pay for it.
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

  /** One more, of so many seconds. */
  observe(labels: Record<L, string>, seconds: number): void {
    let key = ''
    for (const name of this.#labelNames) key += `${labels[name]}\n` // no label has a line break
    const known = this.#all.get(key)
    if (!known) {
      this.#all.set(key, { labels, count: 1, sum: seconds })
      return
    }
    known.count++
    known.sum += seconds
  }

  /** As the registry asks its instruments. */
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
