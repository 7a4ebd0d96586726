import { type ReactNode, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { signIn } from '../api/session.ts'
import { ChangeForm, Field, formText } from '../ui/form.tsx'
import { useTitle } from '../ui/page.tsx'
import { nextPathOf } from './next-path.ts'
import { newPasswordOf, PasswordFields, PersonFields, personOf } from './person-fields.tsx'

/** Creates an account where the server allows it, then returns to the previous page. */
export function Register() {
  const { data: capabilities } = useAnswer(api.getCapabilities, {})
  const [params] = useSearchParams()
  const [, go] = useLocation()
  const [address, setAddress] = useState<string>()
  const next = nextPathOf(params)
  if (address !== undefined)
    return (
      <OpenPage title="Confirm your e-mail address">
        <p role="status">
          A mail was sent to {address}. Open the link in it to confirm the address.
        </p>
        <Link href={next}>Sign in afterwards</Link>
      </OpenPage>
    )
  if (capabilities?.registration === false)
    return (
      <OpenPage title="Register">
        <p>Registration is disabled on this server. Ask an administrator for an account.</p>
        <Link href={next}>Sign in</Link>
      </OpenPage>
    )
  return (
    <OpenPage title="Register">
      <ChangeForm
        action="Create the account"
        onSend={async (form) => {
          const made = await api.register({ body: personOf(form) })
          if (made.email_verification_required) return setAddress(made.email)
          await signIn(made.username, formText(form, 'password1'))
          go(next)
        }}
      >
        <PersonFields />
      </ChangeForm>
      <p>
        <Link href={next}>Sign in</Link> with an existing account.
      </p>
    </OpenPage>
  )
}

/** Requests a mail to choose a new password. The response does not reveal whether the account exists. */
export function PasswordReset() {
  const [message, setMessage] = useState<string>()
  return (
    <OpenPage title="Forgotten password">
      {message ? (
        <p role="status">{message} This applies only if an account has this address.</p>
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
            hint="If the server sends no mails, ask an administrator."
          />
        </ChangeForm>
      )}
      <p>
        <Link href="/projects">Sign in</Link>
      </p>
    </OpenPage>
  )
}

/**
 * Renders the target page of the link in a password mail, which names the account and a key that can be used once.
 */
export function PasswordResetConfirm() {
  const [params] = useSearchParams()
  const [isDone, setIsDone] = useState(false)
  const uid = params.get('uid')
  const token = params.get('token')
  if (!uid || !token)
    return (
      <OpenPage title="New password">
        <p>This link is incomplete. Open the link in the mail again.</p>
        <Link href="/auth/password/reset">Request another mail</Link>
      </OpenPage>
    )
  return (
    <OpenPage title="New password">
      {isDone ? (
        <p role="status">
          The password was changed. <Link href="/projects">Sign in</Link>
        </p>
      ) : (
        <ChangeForm
          action="Set the password"
          onSend={(form) =>
            api.confirmPasswordReset({ body: { uid, token, ...newPasswordOf(form) } })
          }
          onDone={() => setIsDone(true)}
        >
          <PasswordFields prefix="new_password" />
        </ChangeForm>
      )}
    </OpenPage>
  )
}

/** Renders the target page of the link in a confirmation mail, after the address was confirmed. */
export function EmailConfirmation() {
  return (
    <OpenPage title="E-mail confirmed">
      <p>
        Your e-mail address is confirmed. <Link href="/projects">Sign in</Link>
      </p>
    </OpenPage>
  )
}

/** Renders the target page of the link in a confirmation mail that was used before or is older than three days. */
export function IncorrectEmailConfirmation() {
  const [message, setMessage] = useState<string>()
  return (
    <OpenPage title="E-mail not confirmed">
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
    </OpenPage>
  )
}

interface OpenPageProps {
  title: string
  children: ReactNode
}

/** Layout of a page without navigation, for visitors. */
function OpenPage({ title, children }: OpenPageProps) {
  useTitle(title)
  return (
    <main className="narrow">
      <h1>{title}</h1>
      {children}
    </main>
  )
}
