import type { User } from '@reticle/sdk'
import type { ReactNode } from 'react'
import { Link, useRoute } from 'wouter'
import { OrganizationSwitch } from './organization-switch.tsx'
import { PersonMenu } from './person-menu.tsx'

const places = [
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
          {places.map(([path, name]) => (
            <Place key={path} path={path} name={name} />
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

function Place({ path, name }: { path: string; name: string }) {
  const [isHere] = useRoute(`${path}/*?`)
  return (
    <Link href={path} aria-current={isHere ? 'page' : undefined}>
      {name}
    </Link>
  )
}
