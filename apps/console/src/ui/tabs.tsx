import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'

interface Props {
  /** Name of the tab list for screen readers. */
  label: string
  /** Path of the first tab. */
  base: string
  /** Path of each tab after `base`, and its title. */
  tabs: readonly (readonly [path: string, name: ReactNode])[]
}

/** Tabs of an object's page; each has a separate path. */
export function Tabs({ label, base, tabs }: Props) {
  const [here] = useLocation()
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(([path, name]) => {
        const address = path ? `${base}/${path}` : base
        return (
          <Link key={path} href={address} aria-current={here === address ? 'page' : undefined}>
            {name}
          </Link>
        )
      })}
    </nav>
  )
}
