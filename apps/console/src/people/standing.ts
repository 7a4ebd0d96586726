import type { Organization } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { useSelf } from '../shell/session.tsx'
import { isAdministrator, type Standing } from './roles.ts'

/** How the person who is signed in stands to it, and as which member. */
export function useStanding({ slug }: Pick<Organization, 'slug'>) {
  const self = useSelf().data
  const { data } = useAnswer(
    api.listMemberships,
    { org: slug, user: self?.username ?? '' },
    { enabled: Boolean(self) },
  )
  const membership = data?.results.find(({ user }) => user.id === self?.id)
  const standing: Standing = {
    role: membership?.role,
    isAdmin: self ? isAdministrator(self) : false,
  }
  return { standing, membership }
}
