import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'

/**
 * The workspace that lists and new objects are about: the slug of an organization, `''` for what is personal, `undefined` for
 * everything somebody may see. In the address as `org`, else as it was chosen last.
 */
interface Workspace {
  organization: string | undefined
  choose: (organization: string | undefined) => void
}

const place = 'reticle.organization'
const everything = '*'
const Context = createContext<Workspace | undefined>(undefined)

export function OrganizationProvider({ children }: { children: ReactNode }) {
  const [params, setParams] = useSearchParams()
  const [kept, setKept] = useState(() => localStorage.getItem(place) ?? everything)
  const named = params.get('org') ?? kept
  const workspace = useMemo<Workspace>(
    () => ({
      organization: named === everything ? undefined : named,
      choose(organization) {
        const value = organization ?? everything
        localStorage.setItem(place, value)
        setKept(value)
        setParams((before) => withOrganization(before, value))
      },
    }),
    [named, setParams],
  )
  return <Context value={workspace}>{children}</Context>
}

/** Only where the address names one already: elsewhere it would say nothing. */
function withOrganization(before: URLSearchParams, value: string): URLSearchParams {
  const after = new URLSearchParams(before)
  if (after.has('org')) after.set('org', value)
  return after
}

export function useOrganization(): Workspace {
  const workspace = useContext(Context)
  if (!workspace) throw new Error('there is no OrganizationProvider around this')
  return workspace
}
