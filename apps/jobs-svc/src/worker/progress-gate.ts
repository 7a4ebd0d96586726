import type { Amounts, Progress } from '../requests/amounts.ts'

const smallestStep = 0.01
const longestSilenceMs = 2000

export interface ProgressGate {
  progress: Progress
  /** Something moves, though the share has not grown: said again what was said last. */
  moved: () => void
}

/**
 * Lets progress through at most every 2 seconds or 1 % (`reliability.md` 6.3), and every new stage; it never goes back.
 *
 * @param now milliseconds of a clock that only runs forward
 */
export function progressGate(
  pass: Progress,
  now: () => number = () => performance.now(),
): ProgressGate {
  const last = { share: 0, stage: '', at: Number.NEGATIVE_INFINITY }
  let known: Amounts = {}
  const progress: Progress = (given, stage, amounts) => {
    known = { ...known, ...amounts }
    const share = Math.min(1, Math.max(last.share, given))
    const isNews = stage !== last.stage || share - last.share >= smallestStep
    if (!isNews && now() - last.at < longestSilenceMs) return
    Object.assign(last, { share, stage, at: now() })
    pass(share, stage, known)
  }
  return { progress, moved: () => progress(last.share, last.stage) }
}
