import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { useToast } from '../../ui/toasts.tsx'
import type { UploadPhase } from './phase.ts'
import { Preparing } from './preparing.tsx'
import { Sending } from './sending.tsx'
import { clearUploadsOf } from './task-upload-store.ts'

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
          Cancelled. What has arrived is kept for a while, and need not be sent again.
        </p>
      )}
      {isStopped ? (
        <Stopped taskId={taskId} onRetry={onRetry} />
      ) : (
        <button type="button" onClick={() => void onCancel()}>
          Cancel
        </button>
      )}
    </section>
  )
}

function Stopped({ taskId, onRetry }: Pick<Props, 'taskId' | 'onRetry'>) {
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
