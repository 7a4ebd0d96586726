import type { Webhook } from '@reticle/sdk'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { queries, useChange } from '../api/queries.ts'
import { useToast } from '../ui/toasts.tsx'

export function SwitchWebhook({ webhook: { id, is_active, target_url } }: { webhook: Webhook }) {
  const toast = useToast()
  const change = (is_active: boolean) => api.updateWebhook({ id, body: { is_active } })
  const { mutate, isPending } = useChange(change, (after) =>
    toast({
      text: `${target_url} receives ${after.is_active ? 'events again' : 'no more events'}`,
      undo: () => change(is_active).then(() => queries.invalidateQueries()),
    }),
  )
  return (
    <button type="button" disabled={isPending} onClick={() => mutate(!is_active)}>
      Switch {is_active ? 'off' : 'on'}
      <span className="hidden"> the webhook {id}</span>
    </button>
  )
}

/** Shows the status code of a receiver, "no answer" for a failed connection, and a dash before the first delivery. */
export function StatusCode({ status }: { status: number | null | undefined }) {
  if (status === undefined) return <>–</>
  if (status === null) return <span className="wrong">no answer</span>
  const isGood = status >= 200 && status < 300
  return <span className={isGood ? 'good' : 'wrong'}>{status === 0 ? 'no answer' : status}</span>
}

/** Links to the project of a webhook, or names its organization. */
export function OwnerLink({ webhook: { type, project_id } }: { webhook: Webhook }) {
  if (type === 'organization' || project_id === null) return <>the organization</>
  return <Link href={`/projects/${project_id}`}>project {project_id}</Link>
}
