import type { Following } from '@reticle/sdk'
import { useEffect, useRef, useState } from 'react'
import { useOrganization } from '../../api/organization.tsx'
import {
  createTaskWithFiles,
  type TaskUpload,
  type UploadCallbacks,
  type UploadPhase,
} from './create-task.ts'

/** One attempt. */
interface Run {
  stop: AbortController
  following?: Following
  isCancelled?: boolean
}

/** Creates a task, uploads its files and returns the progress. */
export function useTaskUpload(known: number | undefined, onDone: (taskId: number) => void) {
  const [phase, setPhase] = useState<UploadPhase>({ name: 'idle' })
  const [taskId, setTaskId] = useState(known)
  const run = useRef<Run>(undefined)
  const { organization } = useOrganization()
  useLeaveGuard(phase.name === 'creating' || phase.name === 'sending')
  useEffect(() => () => run.current?.stop.abort(), []) // the stored upload progress is kept

  const start = async (upload: TaskUpload) => {
    const stop = new AbortController()
    const current: Run = { stop }
    run.current = current
    const callbacks: UploadCallbacks = {
      onCreated: setTaskId,
      onPhase: setPhase,
      onFollowing: (following) => {
        current.following = following
      },
      signal: stop.signal,
    }
    try {
      onDone(await createTaskWithFiles(upload, { taskId, organization }, callbacks))
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      setPhase(current.isCancelled ? { name: 'cancelled' } : { name: 'failed', error })
    }
  }

  const cancel = async () => {
    const current = run.current
    if (!current) return
    current.isCancelled = true
    if (current.following)
      await current.following.cancel().catch(() => undefined) // it may have finished already
    else current.stop.abort()
  }

  return { phase, taskId, start, cancel }
}

const question = 'Files are still being uploaded. Leave the page and continue the upload later?'

/** Asks for confirmation before the page is closed or left by a link while files are uploaded. */
function useLeaveGuard(isBusy: boolean): void {
  useEffect(() => {
    if (!isBusy) return
    const ask = (event: Event) => event.preventDefault()
    const askAtLink = (event: MouseEvent) => {
      const link = event.target instanceof Element && event.target.closest('a[href]')
      if (!link || window.confirm(question)) return
      event.preventDefault()
      event.stopPropagation()
    }
    window.addEventListener('beforeunload', ask)
    document.addEventListener('click', askAtLink, true)
    return () => {
      window.removeEventListener('beforeunload', ask)
      document.removeEventListener('click', askAtLink, true)
    }
  }, [isBusy])
}
