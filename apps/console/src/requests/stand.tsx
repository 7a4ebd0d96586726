import type { Request } from '@reticle/sdk'
import { isActive, progressText, requestTypeText } from './request-text.ts'
import './requests.css'

/** Shows the status of a request, with a progress bar while it is unfinished. */
export function Stand({ request }: { request: Request }) {
  const { status, progress } = request
  return (
    <span className="stand">
      <span className={`status ${status}`}>{status}</span>
      {isActive(request) && (
        <>
          <progress
            aria-label={requestTypeText(request)}
            max={1}
            value={status === 'queued' ? 0 : progress}
          />
          <span className="hint">{progressText(request)}</span>
        </>
      )}
    </span>
  )
}
