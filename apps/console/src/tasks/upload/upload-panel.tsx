import type { Request } from '@reticle/sdk'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { bytesText } from '../../ui/bytes.ts'
import { Failure, Loading } from '../../ui/feedback.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { clearUploadsOf, type UploadPhase } from './create-task.ts'
import { timeLeftMs, timeLeftText } from './time-left.ts'

interface Props {
  taskId: number
  phase: UploadPhase
  onCancel: () => Promise<void>
  /** Sends the same files again. */
  onRetry: () => void
}

/** Shows the progress of creating a task, and the actions after a failure. */
export function UploadPanel({ taskId, phase, onCancel, onRetry }: Props) {
  const isStopped = phase.name === 'failed' || phase.name === 'cancelled'
  return (
    <section className="upload" aria-label="Progress">
      {phase.name === 'creating' && <Loading />}
      {phase.name === 'sending' && <Sending {...phase} />}
      {phase.name === 'preparing' && <Preparing request={phase.request} />}
      {phase.name === 'failed' && <Failure error={phase.error} />}
      {phase.name === 'cancelled' && (
        <p role="status">
          Cancelled. Uploaded data is kept for some hours and need not be sent again.
        </p>
      )}
      {isStopped ? (
        <StoppedActions taskId={taskId} onRetry={onRetry} />
      ) : (
        <button type="button" onClick={() => void onCancel()}>
          Cancel
        </button>
      )}
    </section>
  )
}

function StoppedActions({ taskId, onRetry }: Pick<Props, 'taskId' | 'onRetry'>) {
  return (
    <div className="actions">
      <button type="button" className="primary" onClick={onRetry}>
        Try again
      </button>
      <Link className="button" href={`/tasks/new?task=${taskId}`}>
        Choose other files
      </Link>
      <Link className="button" href={`/tasks/${taskId}`}>
        Open the task
      </Link>
      <DeleteEmpty taskId={taskId} />
    </div>
  )
}

/** Deletes the empty task without confirmation, because it contains nothing. */
function DeleteEmpty({ taskId }: { taskId: number }) {
  const [error, setError] = useState<Error>()
  const [, go] = useLocation()
  const toast = useToast()
  const remove = async () => {
    await api.deleteTask({ id: taskId })
    clearUploadsOf(taskId)
    toast({ text: 'The empty task was deleted.' })
    go('/tasks')
    await queries.invalidateQueries()
  }
  return (
    <>
      <button type="button" className="danger" onClick={() => void remove().catch(setError)}>
        Delete the empty task
      </button>
      {error && <Failure error={error} />}
    </>
  )
}

interface SendingProps {
  /** Bytes sent so far. */
  done: number
  total: number
  tookMs: number
}

function Sending({ done, total, tookMs }: SendingProps) {
  return (
    <>
      <h2>Uploading the files</h2>
      <progress aria-label="Bytes sent" value={done} max={Math.max(total, 1)} />
      <p className="numbers">
        <span>
          {bytesText(done)} of {bytesText(total)}
        </span>
        <span>{timeLeftText(timeLeftMs(done, total, tookMs))}</span>
      </p>
      <p className="hint">
        An interrupted upload resumes. If you close the page, choose the same files again later;
        uploaded data is not sent twice.
      </p>
    </>
  )
}

function Preparing({ request }: { request: Request | undefined }) {
  const { progress = 0, eta_seconds, items_done, items_total, queue_position } = request ?? {}
  const isWaiting = queue_position !== null && queue_position !== undefined
  return (
    <>
      <h2>Creating frames</h2>
      <progress aria-label="Frames created" value={progress} max={1} />
      <p className="numbers">
        <span>
          {isWaiting && `waiting, ${queue_position} ahead in the queue`}
          {items_total ? `${items_done ?? 0} of ${items_total}` : ''}
        </span>
        <span>{timeLeftText(eta_seconds ? eta_seconds * 1000 : undefined)}</span>
      </p>
      <p className="hint">All files are uploaded. You can leave this page.</p>
    </>
  )
}
