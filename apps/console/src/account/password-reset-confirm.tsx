import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { api } from '../api/client.ts'
import { ChangeForm } from '../ui/change-form.tsx'
import { Narrow } from './narrow.tsx'
import { newPasswordOf, PasswordFields } from './password-fields.tsx'

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
      <Narrow title="New password">
        <p>The address is not whole: open it as the mail has it.</p>
        <Link href="/auth/password/reset">Ask for another mail</Link>
      </Narrow>
    )
  return (
    <Narrow title="New password">
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
    </Narrow>
  )
}
