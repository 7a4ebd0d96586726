import type { User, UserPatch } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isAdministrator } from '../api/roles.ts'
import { ChangeForm } from '../ui/change-form.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { useToast } from '../ui/toasts.tsx'

/**
 * Form for the names of the user. Only administrators can change the e-mail address, because it identifies a user.
 */
export function Profile({ self }: { self: User }) {
  const toast = useToast()
  const mayChangeEmail = isAdministrator(self)
  const save = async (body: UserPatch) => {
    await api.updateUser({ id: self.id, body })
    await queries.invalidateQueries()
  }
  const namesOf = (given: (name: 'username' | 'first_name' | 'last_name' | 'email') => string) => ({
    username: given('username'),
    first_name: given('first_name'),
    last_name: given('last_name'),
    ...(mayChangeEmail && { email: given('email') }),
  })
  return (
    <ChangeForm
      action="Save"
      onSend={async (form) => {
        await save(namesOf((name) => formText(form, name)))
        toast({ text: 'Saved.', undo: () => save(namesOf((name) => self[name])) })
      }}
    >
      <Field
        label="Username"
        name="username"
        autoComplete="username"
        defaultValue={self.username}
        maxLength={150}
        required
      />
      <Field
        label="First name"
        name="first_name"
        autoComplete="given-name"
        defaultValue={self.first_name}
        maxLength={150}
      />
      <Field
        label="Last name"
        name="last_name"
        autoComplete="family-name"
        defaultValue={self.last_name}
        maxLength={150}
      />
      <Field
        label="E-mail"
        name="email"
        type="email"
        autoComplete="email"
        defaultValue={self.email}
        readOnly={!mayChangeEmail}
        hint={mayChangeEmail ? undefined : 'An administrator can change it.'}
      />
    </ChangeForm>
  )
}
