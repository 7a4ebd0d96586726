import { Field, formText } from '../ui/form.tsx'

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
        hint="An invited user must enter the address of the invitation."
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

interface PasswordFieldsProps {
  /** Name of both fields in the API, to which 1 and 2 are appended. */
  prefix: string
}

/** Renders two fields for a new password, which must match. */
export function PasswordFields({ prefix }: PasswordFieldsProps) {
  return (
    <>
      <Field
        label="New password"
        name={`${prefix}1`}
        type="password"
        autoComplete="new-password"
        minLength={8}
        maxLength={256}
        required
        hint="At least 8 characters, not only digits, unlike your names."
      />
      <Field
        label="Repeat the password"
        name={`${prefix}2`}
        type="password"
        autoComplete="new-password"
        required
      />
    </>
  )
}

export const newPasswordOf = (form: FormData) => ({
  new_password1: formText(form, 'new_password1'),
  new_password2: formText(form, 'new_password2'),
})
