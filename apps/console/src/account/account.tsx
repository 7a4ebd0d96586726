import type { User, UserPatch } from '@reticle/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isAdministrator } from '../api/roles.ts'
import { signOut, useSelf } from '../api/session.ts'
import { Confirm } from '../ui/dialog.tsx'
import { ChangeForm, Field, formText } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { useToast } from '../ui/toasts.tsx'
import { Time } from '../ui/values.tsx'
import { newPasswordOf, PasswordFields } from './person-fields.tsx'
import './account.css'

export function Account() {
  const self = useSelf().data
  if (!self) return null
  return (
    <Page title="Account" actions={<Link href="/tokens">Access tokens</Link>}>
      <div className="account">
        <section>
          <h2>Profile</h2>
          <Profile key={self.username} self={self} />
          <p className="hint">
            Group: {self.groups.join(', ') || 'none'}. Created <Time value={self.date_joined} />.
          </p>
        </section>
        <section>
          <h2>Password</h2>
          <PasswordChange />
        </section>
        <section>
          <h2>Account deletion</h2>
          <DeleteAccount self={self} />
        </section>
      </div>
    </Page>
  )
}

function DeleteAccount({ self }: { self: User }) {
  const [isLeaving, setIsLeaving] = useState(false)
  return (
    <>
      <p>
        Objects that you created are kept without an owner. Your tokens and memberships are deleted.
      </p>
      <button type="button" className="danger" onClick={() => setIsLeaving(true)}>
        Delete the account
      </button>
      {isLeaving && (
        <Confirm
          title="Delete your account"
          word={self.username}
          action="Delete the account"
          onConfirm={async () => {
            await api.deleteUser({ id: self.id })
            await signOut()
          }}
          onClose={() => setIsLeaving(false)}
        >
          <p>This cannot be undone. Transfer the organizations that you own first.</p>
        </Confirm>
      )}
    </>
  )
}

/**
 * Form for the names of the user. Only administrators can change the e-mail address, because it identifies a user.
 */
function Profile({ self }: { self: User }) {
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

function PasswordChange() {
  const toast = useToast()
  const [changes, setChanges] = useState(0)
  return (
    <ChangeForm
      key={changes} // a new key clears the fields after a change
      action="Change the password"
      onSend={(form) =>
        api.changePassword({
          body: { old_password: formText(form, 'old_password'), ...newPasswordOf(form) },
        })
      }
      onDone={() => {
        toast({ text: 'Password changed. All your other sessions are signed out.' })
        setChanges(changes + 1)
      }}
    >
      <Field
        label="Current password"
        name="old_password"
        type="password"
        autoComplete="current-password"
        required
      />
      <PasswordFields prefix="new_password" />
    </ChangeForm>
  )
}
