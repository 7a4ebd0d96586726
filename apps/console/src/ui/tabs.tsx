import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'

interface Props {
  /** What the tabs are of, for who hears them. */
  label: string
  /** The address of the first tab. */
  base: string
  /** What each has after `base` in its address, and its name. */
  tabs: readonly (readonly [path: string, name: ReactNode])[]
}

/** Pages of one thing; each has an address of its own. */
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
