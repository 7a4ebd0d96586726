import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { PasswordFields } from './password-fields.tsx'

/** Renders the fields of a new account. */
export function PersonFields() {
  return (
    <>
      <Field
        label="Username"
        name="username"
        autoComplete="username"
        minLength={5}
        maxLength={150}
        required
        autoFocus
      />
      <Field
        label="E-mail"
        name="email"
        type="email"
        autoComplete="email"
        hint="Who was invited gives the address that was invited."
      />
      <PasswordFields prefix="password" />
    </>
  )
}

export const personOf = (form: FormData) => ({
  username: formText(form, 'username'),
  email: formText(form, 'email') || undefined,
  password1: formText(form, 'password1'),
  password2: formText(form, 'password2'),
})
