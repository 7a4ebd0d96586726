import { useState } from 'react'
import { api } from '../api/client.ts'
import { ChangeForm } from '../ui/change-form.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { Narrow } from './narrow.tsx'

/** Renders the target page of the link in a confirmation mail that was used before or is older than three days. */
export function IncorrectEmailConfirmation() {
  const [message, setMessage] = useState<string>()
  return (
    <Narrow title="E-mail not confirmed">
      <p>The link has been used before, or is older than three days.</p>
      {message ? (
        <p role="status">{message}</p>
      ) : (
        <ChangeForm
          action="Send another mail"
          onSend={async (form) => {
            const { detail } = await api.resendEmail({ body: { email: formText(form, 'email') } })
            setMessage(detail)
          }}
        >
          <Field label="E-mail" name="email" type="email" autoComplete="email" required />
        </ChangeForm>
      )}
    </Narrow>
  )
}
