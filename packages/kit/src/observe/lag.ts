import { busLag } from './metrics.ts'
import { readAtScrape } from './registry.ts'

/**
 * Says how many events a group has still to take, over all its members; by each of them.
 *
 * @returns how to stop
 */
export function watchLag(group: string, lag: () => Promise<number>): () => void {
  const read = async () => [{ gauge: busLag, labels: { group }, value: await lag() }]
  return readAtScrape(read, { keepMs: 1000 })
}
