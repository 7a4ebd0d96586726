import type { Following } from '@reticle/sdk'
import { useEffect, useRef, useState } from 'react'
import { useOrganization } from '../../shell/organization.tsx'
import { type Begun, makeTask } from './make-task.ts'
import type { Phase, Wish } from './phase.ts'
import { useLeaveGuard } from './use-leave-guard.ts'

/** One attempt. */
interface Run {
  stop: AbortController
  following?: Following
  isCancelled?: boolean
}

/** Creates a task, uploads its files and returns the progress. */
export function useTaskUpload(known: number | undefined, onDone: (taskId: number) => void) {
  const [phase, setPhase] = useState<Phase>({ name: 'idle' })
  const [taskId, setTaskId] = useState(known)
  const run = useRef<Run>(undefined)
  const { organization } = useOrganization()
  useLeaveGuard(phase.name === 'creating' || phase.name === 'sending')
  useEffect(() => () => run.current?.stop.abort(), []) // the stored upload progress is kept

  const start = async (wish: Wish) => {
    const stop = new AbortController()
    const current: Run = { stop }
    run.current = current
    const begun: Begun = {
      onCreated: setTaskId,
      onPhase: setPhase,
      onFollowing: (following) => {
        current.following = following
      },
      signal: stop.signal,
    }
    try {
      onDone(await makeTask(wish, { taskId, organization }, begun))
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
