import type { User } from '@reticle/sdk'
import { Link } from 'wouter'
import { signOut } from '../api/session.ts'

/** Renders the menu of the signed-in user. */
export function PersonMenu({ self }: { self: User }) {
  return (
    <details className="menu">
      <summary>{self.username}</summary>
      <div>
        <Link href="/account">Account</Link>
        <Link href="/tokens">Access tokens</Link>
        <a href="/api/docs">API reference</a>
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </details>
  )
}
