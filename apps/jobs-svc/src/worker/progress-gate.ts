import { type Amounts, amounts, type ProgressCallback } from '../work/amounts.ts'

const smallestStep = 0.01
const longestSilenceMs = 2000

export interface ProgressGate {
  /** Reports progress. Takes any value as share, because converters and their messages are not trusted. */
  progress: (share: unknown, stage: string, amounts?: unknown) => void
  /** Records activity without growth: repeats the last report when two seconds have passed. */
  moved: () => void
}

/**
 * Creates a gate that passes progress at most every 2 seconds or 1 %, and every new stage at once. The share that it
 * passes is finite, from 0 to 1, and never decreases; amounts are whole numbers. A converter may report any value: the
 * share of an empty file is 0/0.
 *
 * @param pass receives the progress
 * @param now milliseconds of a monotonic clock
 */
export function progressGate(
  pass: ProgressCallback,
  now: () => number = () => performance.now(),
): ProgressGate {
  const last = { share: 0, stage: '', at: Number.NEGATIVE_INFINITY }
  let known: Amounts = {}
  const progress: ProgressGate['progress'] = (given, stage, given_amounts) => {
    known = Object.assign({ ...known }, given_amounts)
    const share = nextShare(last.share, given)
    const isNews = stage !== last.stage || share - last.share >= smallestStep
    if (!isNews && now() - last.at < longestSilenceMs) return
    Object.assign(last, { share, stage, at: now() })
    pass(share, stage, amounts.parse(known))
  }
  return { progress, moved: () => progress(last.share, last.stage) }
}

/** Returns the next share. Any value other than a number leaves it unchanged. */
function nextShare(last: number, given: unknown): number {
  if (typeof given !== 'number' || Number.isNaN(given)) return last
  return Math.min(1, Math.max(last, given))
}
