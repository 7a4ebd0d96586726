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
      <OpenPage title="One more step">
        <p role="status">A mail to {address} has a link that confirms the address.</p>
        <Link href={next}>Sign in afterwards</Link>
      </OpenPage>
    )
  if (capabilities?.registration === false)
    return (
      <OpenPage title="Register">
        <p>This server makes no accounts by itself: ask who runs it for one.</p>
        <Link href={next}>Sign in</Link>
      </OpenPage>
    )
  return (
    <OpenPage title="Register">
      <ChangeForm
        action="Make the account"
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
        <Link href={next}>Sign in</Link> with an account that is there.
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
        <p>The address is not whole: open it as the mail has it.</p>
        <Link href="/auth/password/reset">Ask for another mail</Link>
      </OpenPage>
    )
  return (
    <OpenPage title="New password">
      {isDone ? (
        <p role="status">
          It is good from now on. <Link href="/projects">Sign in</Link>
        </p>
      ) : (
        <ChangeForm
          action="Choose the password"
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
        Thank you: the address is yours. <Link href="/projects">Sign in</Link>
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
