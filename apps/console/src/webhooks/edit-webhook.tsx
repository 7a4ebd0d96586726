import type { Webhook, WebhookPatch } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useToast } from '../ui/toasts.tsx'
import { WebhookForm } from './webhook-form.tsx'

/** Renders a dialog to change the settings of a webhook; changes can be undone. */
export function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { id, type } = webhook
  const tell = useToast()
  const change = (body: WebhookPatch) => api.updateWebhook({ id, body })
  const { target_url, description, events, enable_ssl, dialect } = webhook
  const undo = useChange(() => change({ target_url, description, events, enable_ssl, dialect }))
  const edit = useChange(change, () => {
    onClose()
    tell({ text: 'The webhook is changed', undo: () => undo.mutateAsync(undefined) })
  })
  return (
    <Dialog title="Edit the webhook" onClose={onClose}>
      <WebhookForm
        type={type}
        webhook={webhook}
        action="Save"
        error={edit.error}
        isPending={edit.isPending}
        onSubmit={(settings) => edit.mutate(settings)}
      />
    </Dialog>
  )
}
