import type { ReactNode } from 'react'
import { useLocation, useSearchParams } from 'wouter'

const whole = ['sort', 'org'] // these leave nothing out

/** Instead of an empty table: that nothing is left of it by what narrows it, else what stands within. */
export function OrNothingFound({ children }: { children: ReactNode }) {
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
