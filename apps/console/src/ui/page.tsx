import { type ReactNode, useEffect } from 'react'
import { Link, useLocation } from 'wouter'

/** Sets the title of the window. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Reticle`
  }, [title])
}

interface Props {
  title: string
  /** Links to parent pages, before the title. */
  above?: ReactNode
  /** Buttons beside the title. */
  actions?: ReactNode
  children: ReactNode
}

export function Page({ title, above, actions, children }: Props) {
  useTitle(title)
  return (
    <main>
      {above && <div className="above">{above}</div>}
      <div className="head">
        <h1>{title}</h1>
        {actions && <div className="actions">{actions}</div>}
      </div>
      {children}
    </main>
  )
}

interface TabsProps {
  /** Name of the tab list for screen readers. */
  label: string
  /** Path of the first tab. */
  base: string
  /** Path of each tab after `base`, and its title. */
  tabs: readonly (readonly [path: string, name: ReactNode])[]
}

/** Tabs of an object's page; each has a separate path. */
export function Tabs({ label, base, tabs }: TabsProps) {
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
