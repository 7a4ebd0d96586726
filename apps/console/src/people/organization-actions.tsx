import type { Membership, Organization } from '@reticle/sdk'
import { useState } from 'react'
import { isLeader, isOwner, type MemberStanding } from '../api/roles.ts'
import { DeleteOrganization } from './delete-organization.tsx'
import { EditOrganization } from './edit-organization.tsx'
import { HandOver } from './hand-over.tsx'
import { LeaveOrganization } from './leave-organization.tsx'

interface Props {
  organization: Organization
  standing: MemberStanding
  membership: Membership | undefined
}

/** Renders the buttons for the actions on an organization that the user may perform. */
export function OrganizationActions({ organization, standing, membership }: Props) {
  const [dialog, setDialog] = useState<'edit' | 'hand over' | 'leave' | 'delete'>()
  const onClose = () => setDialog(undefined)
  const mayLeave = membership !== undefined && membership.role !== 'owner'
  return (
    <>
      {isLeader(standing) && <Action text="Edit" onAsk={() => setDialog('edit')} />}
      {isOwner(standing) && <Action text="Hand over" onAsk={() => setDialog('hand over')} />}
      {mayLeave && <Action text="Leave" onAsk={() => setDialog('leave')} isDanger />}
      {isOwner(standing) && <Action text="Delete" onAsk={() => setDialog('delete')} isDanger />}
      {dialog === 'edit' && <EditOrganization {...{ organization, onClose }} />}
      {dialog === 'hand over' && <HandOver {...{ organization, onClose }} />}
      {dialog === 'leave' && membership && (
        <LeaveOrganization {...{ organization, membership, onClose }} />
      )}
      {dialog === 'delete' && <DeleteOrganization {...{ organization, onClose }} />}
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
