import type { ReactNode } from 'react'
import { useOrganization } from './organization.tsx'
import { isMaker } from './roles.ts'
import { useSelf } from './session.ts'
import { useStanding } from './standing.ts'

/** Shows its children only to users who may create projects and tasks in the workspace, once that is known. */
export function ForMakers({ children }: { children: ReactNode }) {
  const self = useSelf().data
  const { organization } = useOrganization()
  const { standing, isKnown } = useStanding({ slug: organization || undefined })
  return self && isKnown && isMaker(self, standing) ? children : null
}
