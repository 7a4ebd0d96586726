import { bytesText } from '../../ui/bytes.ts'
import { timeLeftMs, timeLeftText } from './time-left.ts'

interface Props {
  /** Bytes sent so far. */
  done: number
  total: number
  tookMs: number
}

/** Shows the upload progress and the remaining time. */
export function Sending({ done, total, tookMs }: Props) {
  return (
    <>
      <h2>Sending the files</h2>
      <progress aria-label="Bytes sent" value={done} max={Math.max(total, 1)} />
      <p className="numbers">
        <span>
          {bytesText(done)} of {bytesText(total)}
        </span>
        <span>{timeLeftText(timeLeftMs(done, total, tookMs))}</span>
      </p>
      <p className="hint">
        After a break it goes on where it was. If the page is closed, the same files can be dropped
        again later; what has arrived is not sent twice.
      </p>
    </>
  )
}
