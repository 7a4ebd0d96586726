import { type ReactNode, useEffect } from 'react'

/** The name of the page in the window and its history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Reticle`
  }, [title])
}

interface Props {
  title: string
  /** The way here: what stands before the title. */
  above?: ReactNode
  /** Beside the title: what can be done. */
  actions?: ReactNode
  children: ReactNode
}

/** A page: its title, what can be done, its content. */
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
