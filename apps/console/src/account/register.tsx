import { useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { signIn } from '../api/session.ts'
import { ChangeForm } from '../ui/change-form.tsx'
import { formText } from '../ui/form-text.ts'
import { Narrow } from './narrow.tsx'
import { nextPathOf } from './next-path.ts'
import { PersonFields, personOf } from './person-fields.tsx'

/** Creates an account where the server allows it, then returns to the previous page. */
export function Register() {
  const { data: capabilities } = useAnswer(api.getCapabilities, {})
  const [params] = useSearchParams()
  const [, go] = useLocation()
  const [address, setAddress] = useState<string>()
  const next = nextPathOf(params)
  if (address !== undefined)
    return (
      <Narrow title="One more step">
        <p role="status">A mail to {address} has a link that confirms the address.</p>
        <Link href={next}>Sign in afterwards</Link>
      </Narrow>
    )
  if (capabilities?.registration === false)
    return (
      <Narrow title="Register">
        <p>This server makes no accounts by itself: ask who runs it for one.</p>
        <Link href={next}>Sign in</Link>
      </Narrow>
    )
  return (
    <Narrow title="Register">
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
    </Narrow>
  )
}
