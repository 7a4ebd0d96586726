import { useMutation } from '@tanstack/react-query'
import { Failure } from '../ui/failure.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { useTitle } from '../ui/page.tsx'
import { signIn } from './session.tsx'

/** By name and password, which become a session of the browser. */
export function SignIn() {
  useTitle('Sign in')
  const attempt = useMutation({
    mutationFn: (form: FormData) => signIn(formText(form, 'username'), formText(form, 'password')),
  })
  return (
    <main className="narrow">
      <h1>Sign in to Reticle</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          attempt.mutate(new FormData(event.currentTarget))
        }}
      >
        <Field label="Username" name="username" autoComplete="username" required autoFocus />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        {attempt.error && <Failure error={attempt.error} />}
        <button type="submit" className="primary" disabled={attempt.isPending}>
          Sign in
        </button>
      </form>
      <p className="hint">
        After the first <code>npm start</code> the name is <code>admin</code>; its password was
        printed on the terminal and is kept in <code>.reticle/admin-password</code>.
      </p>
    </main>
  )
}
