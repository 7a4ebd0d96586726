import { type Amounts, amounts, type Progress } from '../requests/amounts.ts'

const smallestStep = 0.01
const longestSilenceMs = 2000

export interface ProgressGate {
  /** Takes any value for a share: converters and their messages are not trusted with it. */
  progress: (share: unknown, stage: string, amounts?: unknown) => void
  /** Something moves, though the share has not grown: said again what was said last. */
  moved: () => void
}

/**
 * Lets progress through at most every 2 seconds or 1 % (`reliability.md` 6.3), and every new stage. The share that it passes on
 * is finite, from 0 to 1, and never decreases; amounts are whole numbers. A converter may report anything: the share of an empty
 * file is 0/0.
 *
 * @param now milliseconds of a clock that only runs forward
 */
export function progressGate(
  pass: Progress,
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

/** Any other value than a number leaves the share unchanged. */
function nextShare(last: number, given: unknown): number {
  if (typeof given !== 'number' || Number.isNaN(given)) return last
  return Math.min(1, Math.max(last, given))
}
