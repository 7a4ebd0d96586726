import type { Issue } from '@reticle/sdk'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { errorText } from '../../ui/error-text.ts'
import { useToast } from '../../ui/toasts.tsx'

/** Shows whether an issue is resolved, with a button to change it. */
export function Resolve({ issue: { id, resolved } }: { issue: Issue }) {
  const toast = useToast()
  const { mutateAsync, isPending } = useChange(api.updateIssue)
  const put = (isResolved: boolean) => mutateAsync({ id, body: { resolved: isResolved } })
  const turn = () =>
    put(!resolved).then(
      () => {
        const text = `Issue ${id} is ${resolved ? 'open again' : 'resolved'}`
        toast({ text, undo: () => put(resolved) })
      },
      (error: unknown) => toast({ text: `Issue ${id} was not changed: ${errorText(error)}` }),
    )
  const action = resolved ? 'Reopen' : 'Resolve'
  return (
    <>
      {resolved ? 'resolved' : 'open'}{' '}
      <button
        type="button"
        className="plain link"
        aria-label={`${action} issue ${id}`}
        disabled={isPending}
        onClick={() => void turn()}
      >
        {action}
      </button>
    </>
  )
}
