import type { ReactNode } from 'react'
import { useTitle } from '../ui/page.tsx'

interface Props {
  title: string
  children: ReactNode
}

/** Renders the page for users who may not be signed in, without navigation. */
export function Narrow({ title, children }: Props) {
  useTitle(title)
  return (
    <main className="narrow">
      <h1>{title}</h1>
      {children}
    </main>
  )
}
