import type { ReactNode } from 'react'
import { useLocation, useSearchParams } from 'wouter'

const whole = ['sort', 'org'] // these parameters do not filter

/** Renders, instead of an empty table, a hint when filters are active, otherwise the children. */
export function OrNoMatches({ children }: { children: ReactNode }) {
  const [params] = useSearchParams()
  const [path, go] = useLocation()
  const isNarrowed = [...params.keys()].some((name) => !whole.includes(name))
  if (!isNarrowed) return children
  return (
    <div className="empty">
      <p>Nothing is like that.</p>
      <button type="button" onClick={() => go(path)}>
        Show everything
      </button>
    </div>
  )
}
