import type { InputOf } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { newSecret } from './secret.ts'

/** Renders a dialog to set a new secret, shown once; the old one also signs for some hours. */
export function RotateSecret({ id, onClose }: { id: number; onClose: () => void }) {
  const [secret] = useState(newSecret)
  const rotate = useChange((input: InputOf<'rotateWebhookSecret'>) =>
    api.rotateWebhookSecret(input),
  )
  return (
    <Dialog title="Rotate the secret" onClose={onClose}>
      {rotate.data ? (
        <Kept secret={rotate.variables.body.secret} />
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
            label="Hours for which the old one counts as well"
            name="overlap_hours"
            type="number"
            min={0}
            max={168}
            defaultValue={24}
            required
          />
          {rotate.error && <Failure error={rotate.error} />}
          <button type="submit" className="primary" disabled={rotate.isPending}>
            Make a new secret
          </button>
        </form>
      )}
    </Dialog>
  )
}

function Kept({ secret }: { secret: string }) {
  return (
    <>
      <p>This is the new secret. Keep it now: it is not shown again.</p>
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
