import type { Webhook } from '@reticle/sdk'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { Confirm } from '../ui/confirm.tsx'
import { EditWebhook } from './edit-webhook.tsx'
import { Ping } from './ping.tsx'
import { RotateSecret } from './rotate-secret.tsx'
import { SwitchWebhook } from './switch-webhook.tsx'

type Action = 'edit' | 'rotate' | 'delete'

/** Renders the buttons for the actions on a webhook. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const [shown, setShown] = useState<Action>()
  const close = () => setShown(undefined)
  return (
    <>
      <Ping id={webhook.id} />
      <button type="button" onClick={() => setShown('edit')}>
        Edit
      </button>
      <SwitchWebhook webhook={webhook} />
      <button type="button" onClick={() => setShown('rotate')}>
        Rotate the secret
      </button>
      <button type="button" className="danger" onClick={() => setShown('delete')}>
        Delete
      </button>
      {shown === 'edit' && <EditWebhook webhook={webhook} onClose={close} />}
      {shown === 'rotate' && <RotateSecret id={webhook.id} onClose={close} />}
      {shown === 'delete' && <DeleteWebhook webhook={webhook} onClose={close} />}
    </>
  )
}

function DeleteWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { id, target_url } = webhook
  const [, go] = useLocation()
  return (
    <Confirm
      title="Delete the webhook"
      word={new URL(target_url).host}
      action="Delete the webhook"
      onConfirm={async () => {
        await api.deleteWebhook({ id })
        go('/webhooks')
      }}
      onClose={onClose}
    >
      <p>Its deliveries and messages go with it. This cannot be undone.</p>
    </Confirm>
  )
}
