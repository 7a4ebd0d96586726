import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'

/**
 * Selected workspace of lists and new objects: the slug of an organization, `''` for the personal workspace,
 * `undefined` for everything that the user may see. Taken from `org` in the address, otherwise the last selection.
 */
interface Workspace {
  organization: string | undefined
  choose: (organization: string | undefined) => void
}

const storageKey = 'reticle.organization'
const everything = '*'
const Context = createContext<Workspace | undefined>(undefined)

export function OrganizationProvider({ children }: { children: ReactNode }) {
  const [params, setParams] = useSearchParams()
  const [stored, setKept] = useState(() => localStorage.getItem(storageKey) ?? everything)
  const named = params.get('org') ?? stored
  const workspace = useMemo<Workspace>(
    () => ({
      organization: named === everything ? undefined : named,
      choose(organization) {
        const value = organization ?? everything
        localStorage.setItem(storageKey, value)
        setKept(value)
        setParams((before) => withOrganization(before, value))
      },
    }),
    [named, setParams],
  )
  return <Context value={workspace}>{children}</Context>
}

/** Changes `org` only if the address already has it; elsewhere it would have no effect. */
function withOrganization(before: URLSearchParams, value: string): URLSearchParams {
  const after = new URLSearchParams(before)
  if (after.has('org')) after.set('org', value)
  return after
}

export function useOrganization(): Workspace {
  const workspace = useContext(Context)
  if (!workspace) throw new Error('useOrganization is called outside of OrganizationProvider')
  return workspace
}
