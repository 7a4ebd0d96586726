import { ApiError } from '@reticle/sdk'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { bytesText } from '../../ui/bytes.ts'
import { Failure } from '../../ui/failure.tsx'
import { requestPath } from '../request-text.ts'
import { Work } from '../work.tsx'
import type { FollowedRequest } from './followed-request.ts'

interface Props {
  work: FollowedRequest
  /** Shown after success. */
  done?: ReactNode
}

/** Shows the progress of a dialog: the upload, then the request. Scrolls into view when the status changes. */
export function Progress({ work, done }: Props) {
  const { request, error, isBusy } = work
  const end = useRef<HTMLDivElement>(null)
  const status = error ? 'refused' : (request?.status ?? isBusy)
  useEffect(() => {
    if (status) end.current?.scrollIntoView({ block: 'nearest' })
  }, [status])
  return (
    <div className="progress" ref={end}>
      {request?.status === 'finished' && done && <p>{done}</p>}
      <Now work={work} />
    </div>
  )
}

function Now({ work: { sent, request, error, isBusy, stop } }: { work: FollowedRequest }) {
  if (error) return <Refused error={error} />
  if (request) return <Work request={request} />
  if (!isBusy) return null
  return (
    <div className="sending" role="status">
      {sent ? <Sending {...sent} onStop={stop} /> : <span className="hint">It begins …</span>}
    </div>
  )
}

function Sending({ done, total, onStop }: { done: number; total: number; onStop: () => void }) {
  return (
    <>
      <progress aria-label="Sending the file" max={total || 1} value={done} />
      <span className="hint">
        {bytesText(done)} of {bytesText(total)} sent
      </span>
      <button type="button" onClick={onStop}>
        Stop sending
      </button>
    </>
  )
}

/** Shows an error, with a link to the request that blocks this one. */
function Refused({ error }: { error: Error }) {
  const rqId = error instanceof ApiError ? error.rq_id : null
  return (
    <>
      <Failure error={error} />
      {rqId && <Link href={requestPath(rqId)}>See the work that is under way</Link>}
    </>
  )
}
