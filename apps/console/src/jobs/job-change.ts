import type { Job, JobPatch } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import { errorText } from '../ui/error-text.ts'
import { useToast } from '../ui/toasts.tsx'

interface Change {
  body: JobPatch
  /** What makes it as it was. */
  before: JobPatch
  /** What was done: `Job 31 is completed`. */
  text: string
}

/** Changes a job where it stands and says so, with a way back. */
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
