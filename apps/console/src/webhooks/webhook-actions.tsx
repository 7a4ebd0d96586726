import type { InputOf, Webhook, WebhookPatch } from '@reticle/sdk'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import { Confirm, Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/feedback.tsx'
import { Field, formText } from '../ui/form.tsx'
import { useToast } from '../ui/toasts.tsx'
import { DeliveryView } from './deliveries.tsx'
import { newSecret, WebhookForm } from './webhook-form.tsx'
import { SwitchWebhook } from './webhook-state.tsx'

type Action = 'edit' | 'rotate' | 'delete'

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
      <p>Its deliveries and messages are deleted as well. This cannot be undone.</p>
    </Confirm>
  )
}

/** Renders a dialog to change the settings of a webhook; changes can be undone. */
function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { id, type } = webhook
  const toast = useToast()
  const change = (body: WebhookPatch) => api.updateWebhook({ id, body })
  const { target_url, description, events, enable_ssl, dialect } = webhook
  const undo = useChange(() => change({ target_url, description, events, enable_ssl, dialect }))
  const edit = useChange(change, () => {
    onClose()
    toast({ text: 'The webhook was changed', undo: () => undo.mutateAsync(undefined) })
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

function Ping({ id }: { id: number }) {
  const ping = useChange(api.pingWebhook)
  return (
    <>
      <button type="button" disabled={ping.isPending} onClick={() => ping.mutate({ id })}>
        Ping
      </button>
      {(ping.data || ping.error) && (
        <Dialog title="Result of the ping" onClose={() => ping.reset()}>
          {ping.error && <Failure error={ping.error} />}
          {ping.data && <DeliveryView delivery={ping.data} />}
        </Dialog>
      )}
    </>
  )
}

/** Renders a dialog to set a new secret, shown once; the old one also signs for some hours. */
function RotateSecret({ id, onClose }: { id: number; onClose: () => void }) {
  const [secret] = useState(newSecret)
  const rotate = useChange((input: InputOf<'rotateWebhookSecret'>) =>
    api.rotateWebhookSecret(input),
  )
  return (
    <Dialog title="Rotate the secret" onClose={onClose}>
      {rotate.data ? (
        <NewSecret secret={rotate.variables.body.secret} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const form = new FormData(event.currentTarget)
            const overlap_hours = Number(formText(form, 'overlap_hours'))
            rotate.mutate({ id, body: { secret, overlap_hours } })
          }}
        >
          <Field
            label="Hours for which the old secret stays valid"
            name="overlap_hours"
            type="number"
            min={0}
            max={168}
            defaultValue={24}
            required
          />
          {rotate.error && <Failure error={rotate.error} />}
          <button type="submit" className="primary" disabled={rotate.isPending}>
            Create a new secret
          </button>
        </form>
      )}
    </Dialog>
  )
}

function NewSecret({ secret }: { secret: string }) {
  return (
    <>
      <p>This is the new secret. Store it now; it is not shown again.</p>
      <Field
        label="New secret"
        readOnly
        value={secret}
        autoFocus
        onFocus={({ target }) => target.select()}
      />
    </>
  )
}
