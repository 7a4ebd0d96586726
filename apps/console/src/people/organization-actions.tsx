import type { Membership, Organization } from '@reticle/sdk'
import { useState } from 'react'
import { DeleteOrganization } from './delete-organization.tsx'
import { EditOrganization } from './edit-organization.tsx'
import { HandOver } from './hand-over.tsx'
import { LeaveOrganization } from './leave-organization.tsx'
import { isLeader, isOwner, type Standing } from './roles.ts'

interface Props {
  organization: Organization
  standing: Standing
  membership: Membership | undefined
}

/** Renders the buttons for the actions on an organization that the user may perform. */
export function OrganizationActions({ organization, standing, membership }: Props) {
  const [asked, setAsked] = useState<'edit' | 'hand over' | 'leave' | 'delete'>()
  const onClose = () => setAsked(undefined)
  const mayLeave = membership !== undefined && membership.role !== 'owner'
  return (
    <>
      {isLeader(standing) && <Action text="Edit" onAsk={() => setAsked('edit')} />}
      {isOwner(standing) && <Action text="Hand over" onAsk={() => setAsked('hand over')} />}
      {mayLeave && <Action text="Leave" onAsk={() => setAsked('leave')} isDanger />}
      {isOwner(standing) && <Action text="Delete" onAsk={() => setAsked('delete')} isDanger />}
      {asked === 'edit' && <EditOrganization {...{ organization, onClose }} />}
      {asked === 'hand over' && <HandOver {...{ organization, onClose }} />}
      {asked === 'leave' && membership && (
        <LeaveOrganization {...{ organization, membership, onClose }} />
      )}
      {asked === 'delete' && <DeleteOrganization {...{ organization, onClose }} />}
    </>
  )
}

interface ActionProps {
  text: string
  onAsk: () => void
  isDanger?: boolean
}

function Action({ text, onAsk, isDanger }: ActionProps) {
  return (
    <button type="button" className={isDanger ? 'danger' : undefined} onClick={onAsk}>
      {text}
    </button>
  )
}
