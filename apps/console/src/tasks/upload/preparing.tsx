import type { Request } from '@reticle/sdk'
import { timeLeftText } from './time-left.ts'

/** Shows the progress of creating frames. */
export function Preparing({ request }: { request: Request | undefined }) {
  const { progress = 0, eta_seconds, items_done, items_total, queue_position } = request ?? {}
  const isWaiting = queue_position !== null && queue_position !== undefined
  return (
    <>
      <h2>Making frames</h2>
      <progress aria-label="Frames made" value={progress} max={1} />
      <p className="numbers">
        <span>
          {isWaiting && `waiting, ${queue_position} before it`}
          {items_total ? `${items_done ?? 0} of ${items_total}` : ''}
        </span>
        <span>{timeLeftText(eta_seconds ? eta_seconds * 1000 : undefined)}</span>
      </p>
      <p className="hint">All files have arrived: this page may be left.</p>
    </>
  )
}
