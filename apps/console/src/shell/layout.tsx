import type { User } from '@reticle/sdk'
import type { ReactNode } from 'react'
import { Link, useRoute } from 'wouter'
import { api } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { useAnswer } from '../api/queries.ts'
import { signOut } from '../api/session.ts'

const navigation = [
  ['/projects', 'Projects'],
  ['/tasks', 'Tasks'],
  ['/jobs', 'Jobs'],
  ['/requests', 'Requests'],
  ['/webhooks', 'Webhooks'],
  ['/people', 'People'],
  ['/server', 'Server'],
] as const

/** Renders the frame of every page: navigation, workspace and user menu. */
export function Layout({ self, children }: { self: User; children: ReactNode }) {
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="bar">
        <Link href="/projects" className="brand">
          <img src="/static/logo.svg" alt="" width="24" height="24" /> Reticle
        </Link>
        <nav aria-label="Main">
          {navigation.map(([path, name]) => (
            <NavigationLink key={path} path={path} name={name} />
          ))}
        </nav>
        <OrganizationSwitch />
        <PersonMenu self={self} />
      </header>
      <div id="content" tabIndex={-1}>
        {children}
      </div>
    </>
  )
}

function NavigationLink({ path, name }: { path: string; name: string }) {
  const [isHere] = useRoute(`${path}/*?`)
  return (
    <Link href={path} aria-current={isHere ? 'page' : undefined}>
      {name}
    </Link>
  )
}

const everything = '*'

/** Renders a menu to select the workspace of lists and new objects. */
function OrganizationSwitch() {
  const { organization, choose } = useOrganization()
  const { data } = useAnswer(api.listOrganizations, { page_size: 100 })
  const slugs = data?.results.map(({ slug }) => slug) ?? []
  const isElsewhere = organization && !slugs.includes(organization)
  return (
    <label className="switch">
      <span className="hidden">Workspace</span>
      <select
        value={organization ?? everything}
        onChange={({ target }) => choose(target.value === everything ? undefined : target.value)}
      >
        <option value={everything}>Everything</option>
        <option value="">Personal</option>
        {isElsewhere && <option value={organization}>{organization}</option>}
        {slugs.map((slug) => (
          <option key={slug}>{slug}</option>
        ))}
      </select>
    </label>
  )
}

function PersonMenu({ self }: { self: User }) {
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
