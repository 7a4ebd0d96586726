import type { ReactNode } from 'react'
import { api } from './client.ts'
import { useOrganization } from './organization.tsx'
import { useAnswer } from './queries.ts'
import { canCreateTasks, isAdministrator, type MemberStanding } from './roles.ts'
import { useSelf } from './session.ts'

/** Returns the role and membership of the signed-in user in an organization; without a slug neither. */
export function useStanding({ slug }: { slug: string | undefined }) {
  const self = useSelf().data
  const isEnabled = Boolean(self) && slug !== undefined
  const { data } = useAnswer(
    api.listMemberships,
    { org: slug, user: self?.username ?? '' },
    { enabled: isEnabled },
  )
  const membership = data?.results.find(({ user }) => user.id === self?.id)
  const standing: MemberStanding = {
    role: membership?.role,
    isAdmin: self ? isAdministrator(self) : false,
  }
  return { standing, membership, isKnown: !isEnabled || data !== undefined }
}

/** Shows its children only to users with the right to create projects and tasks in the workspace, once that is known. */
export function TaskCreatorsOnly({ children }: { children: ReactNode }) {
  const self = useSelf().data
  const { organization } = useOrganization()
  const { standing, isKnown } = useStanding({ slug: organization || undefined })
  return self && isKnown && canCreateTasks(self, standing) ? children : null
}
