import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { ChangeForm } from '../ui/change-form.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { Narrow } from './narrow.tsx'

/** Requests a mail to choose a new password. The response does not reveal whether the account exists. */
export function PasswordReset() {
  const [message, setMessage] = useState<string>()
  return (
    <Narrow title="Forgotten password">
      {message ? (
        <p role="status">{message} It is for the account with that address, where there is one.</p>
      ) : (
        <ChangeForm
          action="Send the mail"
          onSend={async (form) => {
            const { detail } = await api.resetPassword({ body: { email: formText(form, 'email') } })
            setMessage(detail)
          }}
        >
          <Field
            label="E-mail"
            name="email"
            type="email"
            autoComplete="email"
            required
            autoFocus
            hint="Where the server sends no mails, ask who runs it."
          />
        </ChangeForm>
      )}
      <p>
        <Link href="/projects">Sign in</Link>
      </p>
    </Narrow>
  )
}
