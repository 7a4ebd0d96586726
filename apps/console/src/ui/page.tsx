import { type ReactNode, useEffect } from 'react'

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

/** Renders the page with title, actions and content. */
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
