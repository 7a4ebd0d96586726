import type { Request } from '@reticle/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/feedback.tsx'
import { useToast } from '../ui/toasts.tsx'
import { shownReport } from './report-rows.ts'
import { ReportView } from './report-view.tsx'
import { isActive, localLink, progressText, requestTypeText } from './request-text.ts'
import './requests.css'

export function RequestView({ request }: { request: Request }) {
  const { status, message, result_url, operation } = request
  const report = shownReport(request)
  return (
    <div className="work">
      <div role="status">
        <RequestStatus request={request} />
      </div>
      {status === 'failed' && (
        <div className="failure" role="alert">
          <p>{message}</p>
        </div>
      )}
      {status === 'started' && message && <p className="hint">{message}</p>}
      <div className="actions">
        {isActive(request) && <CancelRequest request={request} />}
        {result_url && (
          <a className="button primary" href={localLink(result_url)} download>
            Download
          </a>
        )}
        <ResultLink request={request} />
      </div>
      {report && <ReportView report={report} type={operation.type} />}
    </div>
  )
}

/** Links to the object that was restored from a backup. */
function ResultLink({ request: { operation, result_id } }: { request: Request }) {
  if (result_id === null) return null
  const { target } = operation
  return (
    <Link className="button primary" href={`/${target}s/${result_id}`}>
      Open the {target}
    </Link>
  )
}

/** Shows the status of a request, with a progress bar while it is unfinished. */
export function RequestStatus({ request }: { request: Request }) {
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

/** Renders a button to cancel a request; a request that has started needs confirmation. */
export function CancelRequest({ request }: { request: Request }) {
  const [isAsking, setIsAsking] = useState(false)
  const toast = useToast()
  const { id: rq_id, status } = request
  const cancel = useChange(api.cancelRequest, () => {
    setIsAsking(false)
    toast({ text: `Cancelled: ${requestTypeText(request)}` })
  })
  const isSure = status === 'queued'
  return (
    <>
      <button
        type="button"
        disabled={cancel.isPending}
        onClick={() => (isSure ? cancel.mutate({ rq_id }) : setIsAsking(true))}
      >
        Cancel
      </button>
      {(isAsking || cancel.error) && (
        <Dialog
          title={`Cancel: ${requestTypeText(request)}?`}
          onClose={() => {
            setIsAsking(false)
            cancel.reset()
          }}
        >
          <p>The request has started. Its work so far is discarded; nothing else changes.</p>
          {cancel.error && <Failure error={cancel.error} />}
          <div className="actions">
            <button
              type="button"
              className="danger"
              disabled={cancel.isPending}
              onClick={() => cancel.mutate({ rq_id })}
            >
              Cancel the request
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

/** Links to the object that a request concerns. */
export function TargetLink({ request: { operation } }: { request: Request }) {
  const { target, project_id, task_id, job_id } = operation
  if (target === 'task' && task_id !== null)
    return <Link href={`/tasks/${task_id}`}>Task {task_id}</Link>
  if (target === 'job' && job_id !== null) return <Link href={`/jobs/${job_id}`}>Job {job_id}</Link>
  if (target === 'project' && project_id !== null)
    return <Link href={`/projects/${project_id}`}>Project {project_id}</Link>
  return <>–</>
}
