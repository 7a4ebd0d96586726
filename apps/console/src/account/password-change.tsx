import { useState } from 'react'
import { api } from '../api/client.ts'
import { ChangeForm } from '../ui/change-form.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { useToast } from '../ui/toasts.tsx'
import { newPasswordOf, PasswordFields } from './password-fields.tsx'

/** Renders a form to change the password, which requires the current one. */
export function PasswordChange() {
  const toast = useToast()
  const [changes, setChanges] = useState(0)
  return (
    <ChangeForm
      key={changes} // a new key clears the fields after a change
      action="Change the password"
      onSend={(form) =>
        api.changePassword({
          body: { old_password: formText(form, 'old_password'), ...newPasswordOf(form) },
        })
      }
      onDone={() => {
        toast({ text: 'Changed. You are signed out wherever else you were.' })
        setChanges(changes + 1)
      }}
    >
      <Field
        label="Password now"
        name="old_password"
        type="password"
        autoComplete="current-password"
        required
      />
      <PasswordFields prefix="new_password" />
    </ChangeForm>
  )
}
