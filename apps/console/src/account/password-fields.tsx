import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'

interface Props {
  /** Name of both fields in the API, to which 1 and 2 are appended. */
  prefix: string
}

/** Renders two fields for a new password, which must match. */
export function PasswordFields({ prefix }: Props) {
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
        label="Once more"
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
