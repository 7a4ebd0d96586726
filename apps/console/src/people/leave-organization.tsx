import type { Membership, Organization } from '@reticle/sdk'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { queries } from '../api/queries.ts'
import { Confirm } from '../ui/confirm.tsx'

interface Props {
  organization: Organization
  membership: Membership
  onClose: () => void
}

/** Renders a dialog to leave an organization. A user who left needs another invitation to come back. */
export function LeaveOrganization({ organization: { slug }, membership, onClose }: Props) {
  const [, go] = useLocation()
  const { organization: chosen, choose } = useOrganization()
  return (
    <Confirm
      title={`Leave ${slug}`}
      word={slug}
      action="Leave the organization"
      onConfirm={async () => {
        await api.deleteMembership({ id: membership.id })
        if (chosen === slug) choose(undefined)
        go('/people')
        await queries.invalidateQueries()
      }}
      onClose={onClose}
    >
      <p>Its projects and tasks are closed to you afterwards, but for jobs that are yours to do.</p>
    </Confirm>
  )
}
