import type { Webhook } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { queries, useChange } from '../api/queries.ts'
import { useToast } from '../ui/toasts.tsx'

/** Renders a button to enable or disable a webhook. */
export function SwitchWebhook({ webhook: { id, is_active, target_url } }: { webhook: Webhook }) {
  const tell = useToast()
  const change = (is_active: boolean) => api.updateWebhook({ id, body: { is_active } })
  const { mutate, isPending } = useChange(change, (after) =>
    tell({
      text: `${target_url} is ${after.is_active ? 'told again' : 'not told any more'}`,
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
