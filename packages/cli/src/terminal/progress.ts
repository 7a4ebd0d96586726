import progress from 'cli-progress'
import type { Stream } from './output.ts'
import { replaceControls, widthOf } from './table.ts'

/** Progress display; only one is active at a time. */
export interface ProgressDisplay {
  /** Starts a step and prints it at once. */
  step(title: string): void
  /** Updates the progress of the step, from 0 to 1, with a text beside it. */
  update(share: number, detail?: string): void
  /** Ends the display. */
  stop(): void
}

/** Minimum time between two lines without a terminal, in milliseconds. */
const lineMs = 1000
/** Share of progress after which a line is printed earlier. */
const lineShare = 0.1

const silent: ProgressDisplay = {
  step: () => undefined,
  update: () => undefined,
  stop: () => undefined,
}

export function createProgress(
  stderr: Stream & { isTTY?: boolean },
  { quiet = false, now = Date.now }: { quiet?: boolean | undefined; now?: () => number } = {},
): ProgressDisplay {
  if (quiet) return silent
  return oncePerStep(stderr.isTTY ? createBars(stderr) : createLines(stderr, now))
}

/** Prints a step only once when it starts in several places, and removes control characters from names. */
function oncePerStep({ step, update, stop }: ProgressDisplay): ProgressDisplay {
  let begun: string | undefined
  return {
    step(title) {
      if (title === begun) return
      step(replaceControls(title))
      begun = title
    },
    update(share, detail = '') {
      begun = undefined
      update(share, replaceControls(detail))
    },
    stop() {
      begun = undefined
      stop()
    },
  }
}

/** Characters beside the bar and the title: percentage and detail. */
const beside = 30

/** Returns the width of a bar in characters for a terminal. */
export const barWidth = (title: string, columns = 80): number =>
  Math.min(40, Math.max(5, columns - widthOf(title) - beside))

function createBars({ columns }: Stream): ProgressDisplay {
  let bar: progress.SingleBar | undefined
  const stop = () => {
    bar?.stop()
    bar = undefined
  }
  return {
    step(title) {
      stop()
      const barsize = barWidth(title, columns)
      bar = new progress.SingleBar(
        { format, barsize, hideCursor: null, fps: 10, stopOnComplete: false, etaBuffer: 10 },
        progress.Presets.shades_classic,
      )
      bar.start(1000, 0, { title, detail: '' })
    },
    update(share, detail = '') {
      bar?.update(Math.floor(1000 * clampShare(share)), { detail })
    },
    stop,
  }
}

const format = '{title}  {bar} {percentage} %  {detail}'

function createLines(stderr: Stream, now: () => number): ProgressDisplay {
  let title = ''
  let printed = { share: 0, at: 0 }
  const print = (share: number, detail: string) => {
    printed = { share, at: now() }
    const percent = `${Math.floor(100 * share)} %`
    stderr.write(`${[`${title}: ${percent}`, detail].filter(Boolean).join('  ')}\n`)
  }
  return {
    step(next) {
      title = next
      print(0, '')
    },
    update(given, detail = '') {
      const share = clampShare(given)
      const isEnd = share === 1 && printed.share < 1
      const isLater = now() - printed.at >= lineMs && share !== printed.share
      if (isEnd || isLater || share - printed.share >= lineShare) print(share, detail)
    },
    stop: () => undefined,
  }
}

const clampShare = (share: number) => Math.min(1, Math.max(0, share))
