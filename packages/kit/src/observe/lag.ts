import { busLag } from './metrics.ts'
import { readAtScrape } from './registry.ts'

/**
 * Reports the number of events that a group has not handled, over all its members; each member reports the same number.
 * @returns a function that stops it
 */
export function watchLag(group: string, lag: () => Promise<number>): () => void {
  const read = async () => [{ gauge: busLag, labels: { group }, value: await lag() }]
  return readAtScrape(read, { keepMs: 1000 })
}
