const smallestStep = 0.01
const longestSilenceMs = 2000

/**
 * Lets progress through at most every 2 seconds or 1 % (`reliability.md` 6.3), and every new stage; it never goes back.
 *
 * @param now milliseconds of a clock that only runs forward
 */
export function progressGate(
  pass: (share: number, stage: string) => void,
  now: () => number = () => performance.now(),
): (share: number, stage: string) => void {
  const last = { share: 0, stage: '', at: Number.NEGATIVE_INFINITY }
  return (given, stage) => {
    const share = Math.min(1, Math.max(last.share, given))
    const isNews = stage !== last.stage || share - last.share >= smallestStep
    if (!isNews && now() - last.at < longestSilenceMs) return
    Object.assign(last, { share, stage, at: now() })
    pass(share, stage)
  }
}
