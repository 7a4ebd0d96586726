import type { AccessTokenCreate, AccessTokenCreated } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { ChangeForm } from '../ui/change-form.tsx'
import { Copy } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { OptionField } from '../ui/option-field.tsx'

const dialects = [
  ['service', 'the API of this service'],
  ['cvat', 'the API of CVAT'],
] as const

/** Renders a dialog to create an access token; shows its value once. */
export function NewToken({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<AccessTokenCreated>()
  if (made) return <Shown token={made} onClose={onClose} />
  return (
    <Dialog title="New access token" onClose={onClose}>
      <ChangeForm
        action="Create the token"
        onSend={async (form) => {
          setMade(await api.createAccessToken({ body: tokenOf(form) }))
          void queries.invalidateQueries()
        }}
      >
        <Field
          label="Name"
          name="name"
          maxLength={50}
          required
          autoFocus
          hint="Of the program that will use it: nightly export."
        />
        <Field label="Last day" name="expiry_date" type="date" hint="Empty: it has none." />
        <label className="check">
          <input type="checkbox" name="read_only" defaultChecked />
          Read only: it changes nothing
        </label>
        <OptionField
          label="Speaks"
          name="dialect"
          options={dialects}
          hint="Programs that were made for CVAT find everything as they know it."
        />
      </ChangeForm>
    </Dialog>
  )
}

function tokenOf(form: FormData): AccessTokenCreate {
  return {
    name: formText(form, 'name'),
    expiry_date: formText(form, 'expiry_date') || null,
    read_only: form.has('read_only'),
    dialect: formText(form, 'dialect') === 'cvat' ? 'cvat' : 'service',
  }
}

function Shown({
  token: { name, value },
  onClose,
}: {
  token: AccessTokenCreated
  onClose: () => void
}) {
  return (
    <Dialog title={`The token ${name}`} onClose={onClose}>
      <p>
        <strong>It is shown this once.</strong> Keep it where its program finds it and nobody else.
      </p>
      <Copy label="Token" value={value} />
      <pre>
        <code>{`export SERVICE_ACCESS_TOKEN=…\ncurl -H "Authorization: Token $SERVICE_ACCESS_TOKEN" ${location.origin}/api/users/self`}</code>
      </pre>
      <button type="button" className="primary" onClick={onClose}>
        I have it
      </button>
    </Dialog>
  )
}
