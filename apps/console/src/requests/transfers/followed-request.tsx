import { ApiError, type Request, RequestFailed } from '@reticle/sdk'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { bytesText } from '../../ui/bytes.ts'
import { Failure } from '../../ui/feedback.tsx'
import { requestPath } from '../request-text.ts'
import { RequestView } from '../request-view.tsx'

interface FollowedState {
  /** Bytes of the file that were sent, and its size. */
  sent?: { done: number; total: number }
  request?: Request
  error?: Error
  isBusy?: boolean
}

/** Starts a request; an interrupted upload resumes and reports its progress. */
type StartRequest = (options: {
  signal: AbortSignal
  on_progress: (done: number, total: number) => void
}) => Promise<{ rq_id: string }>

export interface FollowedRequest extends FollowedState {
  begin: (start: StartRequest) => void
  /** Cancels the upload of a file, before the request starts. */
  stop: () => void
}

/** Starts and follows a request in a dialog. Closing the dialog cancels an upload but not the request. */
export function useFollowedRequest(): FollowedRequest {
  const [state, setState] = useState<FollowedState>({})
  const current = useRef<AbortController>(undefined)
  useEffect(() => () => current.current?.abort(), [])
  return {
    ...state,
    begin(start) {
      current.current?.abort()
      const running = new AbortController()
      current.current = running
      setState({ isBusy: true })
      void followRequest(start, running.signal, (change) => {
        if (!running.signal.aborted) setState((before) => ({ ...before, ...change }))
      })
    },
    stop() {
      current.current?.abort()
      setState({})
    },
  }
}

async function followRequest(
  start: StartRequest,
  signal: AbortSignal,
  update: (change: FollowedState) => void,
) {
  try {
    const on_progress = (done: number, total: number) => update({ sent: { done, total } })
    const { rq_id } = await start({ signal, on_progress })
    const onProgress = (request: Request) => update({ request })
    update({ request: await api.follow(rq_id, { signal, on_progress: onProgress }), isBusy: false })
  } catch (thrown) {
    update({ ...failureOf(thrown), isBusy: false })
  }
  await queries.invalidateQueries()
}

const failureOf = (thrown: unknown): FollowedState => {
  if (thrown instanceof RequestFailed) return { request: thrown.request }
  return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) }
}

interface ProgressProps {
  work: FollowedRequest
  /** Shown after success. */
  done?: ReactNode
}

/** Shows the progress of a dialog: the upload, then the request. Scrolls into view when the status changes. */
export function Progress({ work, done }: ProgressProps) {
  const { request, error, isBusy } = work
  const end = useRef<HTMLDivElement>(null)
  const status = error ? 'refused' : (request?.status ?? isBusy)
  useEffect(() => {
    if (status) end.current?.scrollIntoView({ block: 'nearest' })
  }, [status])
  return (
    <div className="progress" ref={end}>
      {request?.status === 'finished' && done && <p>{done}</p>}
      <CurrentState work={work} />
    </div>
  )
}

function CurrentState({ work: { sent, request, error, isBusy, stop } }: { work: FollowedRequest }) {
  if (error) return <RequestError error={error} />
  if (request) return <RequestView request={request} />
  if (!isBusy) return null
  return (
    <div className="sending" role="status">
      {sent ? <Sending {...sent} onStop={stop} /> : <span className="hint">Starting …</span>}
    </div>
  )
}

function Sending({ done, total, onStop }: { done: number; total: number; onStop: () => void }) {
  return (
    <>
      <progress aria-label="Uploading the file" max={total || 1} value={done} />
      <span className="hint">
        {bytesText(done)} of {bytesText(total)} sent
      </span>
      <button type="button" onClick={onStop}>
        Cancel the upload
      </button>
    </>
  )
}

/** Shows an error, with a link to the request that blocks this one. */
function RequestError({ error }: { error: Error }) {
  const rqId = error instanceof ApiError ? error.rq_id : null
  return (
    <>
      <Failure error={error} />
      {rqId && <Link href={requestPath(rqId)}>Show the running request</Link>}
    </>
  )
}
