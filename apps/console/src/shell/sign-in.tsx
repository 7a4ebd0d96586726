import { useMutation } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { signIn } from '../api/session.ts'
import { Failure } from '../ui/feedback.tsx'
import { Field, formText } from '../ui/form.tsx'
import { useTitle } from '../ui/page.tsx'

/** Returns whether the server runs on this machine, where the user probably ran `npm start`. */
const isOwnMachine = (host: string) => ['localhost', '127.0.0.1', '[::1]'].includes(host)

/** Renders the page to sign in with username and password, which creates a session cookie. */
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
      <SignInLinks />
      {isOwnMachine(location.hostname) && (
        <p className="hint">
          After the first <code>npm start</code>, sign in as <code>admin</code>. The password was
          printed in the terminal and is stored in <code>.reticle/admin-password</code>.
        </p>
      )}
    </main>
  )
}

function SignInLinks() {
  const { data: capabilities } = useAnswer(api.getCapabilities, {})
  const here = `${location.pathname}${location.search}`
  return (
    <p>
      {capabilities?.registration && (
        <>
          <Link href={`/auth/register?next=${encodeURIComponent(here)}`}>Register</Link>
          {' · '}
        </>
      )}
      <Link href="/auth/password/reset">Forgotten password</Link>
    </p>
  )
}
