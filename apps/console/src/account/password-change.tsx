import { useState } from 'react'
import { api } from '../api/client.ts'
import { ChangeForm } from '../ui/change-form.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { useToast } from '../ui/toasts.tsx'
import { newPasswordOf, PasswordFields } from './password-fields.tsx'

/** Another password for who knows the one that is. */
export function PasswordChange() {
  const tell = useToast()
  const [changes, setChanges] = useState(0)
  return (
    <ChangeForm
      key={changes} // what was typed is gone afterwards
      action="Change the password"
      onSend={(form) =>
        api.changePassword({
          body: { old_password: formText(form, 'old_password'), ...newPasswordOf(form) },
        })
      }
      onDone={() => {
        tell({ text: 'Changed. You are signed out wherever else you were.' })
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
