import type { Job, JobPatch } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import { errorText } from '../ui/error-text.ts'
import { useToast } from '../ui/toasts.tsx'

interface Change {
  body: JobPatch
  /** Patch that undoes the change. */
  before: JobPatch
  /** Text of the notification: `Job 31 is completed`. */
  text: string
}

/** Changes a job and shows a notification with an undo button. */
export function useJobChange(): (job: Job, change: Change) => void {
  const toast = useToast()
  const { mutateAsync } = useChange(api.updateJob)
  return ({ id }, { body, before, text }) => {
    const undo = () => mutateAsync({ id, body: before })
    mutateAsync({ id, body }).then(
      () => toast({ text, undo }),
      (error: unknown) => toast({ text: `Job ${id} was not changed: ${errorText(error)}` }),
    )
  }
}
