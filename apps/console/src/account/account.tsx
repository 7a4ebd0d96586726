import type { User } from '@reticle/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { signOut, useSelf } from '../api/session.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { PasswordChange } from './password-change.tsx'
import { Profile } from './profile.tsx'
import './account.css'

/** Shows the account of the signed-in user: names, password and deletion. */
export function Account() {
  const self = useSelf().data
  if (!self) return null
  return (
    <Page title="Account" actions={<Link href="/tokens">Access tokens</Link>}>
      <div className="account">
        <section>
          <h2>Who you are</h2>
          <Profile key={self.username} self={self} />
          <p className="hint">
            In the group {self.groups.join(', ') || 'of nobody'}, since{' '}
            <Time value={self.date_joined} />.
          </p>
        </section>
        <section>
          <h2>Password</h2>
          <PasswordChange />
        </section>
        <section>
          <h2>The end of it</h2>
          <Leaving self={self} />
        </section>
      </div>
    </Page>
  )
}

function Leaving({ self }: { self: User }) {
  const [isLeaving, setIsLeaving] = useState(false)
  return (
    <>
      <p>What you made stays, without an owner. Your tokens and memberships go.</p>
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
          <p>This cannot be undone. Organizations of yours have to be handed over before.</p>
        </Confirm>
      )}
    </>
  )
}
