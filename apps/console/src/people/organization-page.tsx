import type { Membership, Organization } from '@reticle/sdk'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { isLeader, isOwner, type MemberStanding } from '../api/roles.ts'
import { useStanding } from '../api/standing.tsx'
import { Failure, Loading } from '../ui/feedback.tsx'
import { Page, Tabs } from '../ui/page.tsx'
import { Invitations } from './invitations.tsx'
import { Members } from './members.tsx'
import {
  DeleteOrganization,
  EditOrganization,
  LeaveOrganization,
  TransferOrganization,
} from './organization-dialogs.tsx'
import './people.css'

export function OrganizationPage() {
  const { id = '', part } = useParams()
  const { data, error, refetch } = useAnswer(api.getOrganization, { id: Number(id) })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return <OrganizationView organization={data} isAboutInvitations={part === 'invitations'} />
}

interface Props {
  organization: Organization
  isAboutInvitations: boolean
}

function OrganizationView({ organization, isAboutInvitations }: Props) {
  const { standing, membership } = useStanding(organization)
  const { id, slug, name, description } = organization
  const basePath = `/people/organizations/${id}`
  return (
    <Page
      title={name || slug}
      above={<Link href="/people">People</Link>}
      actions={
        <OrganizationActions
          organization={organization}
          standing={standing}
          membership={membership}
        />
      }
    >
      <p className="hint">
        {slug} · owned by {organization.owner?.username ?? 'a deleted user'}
        {standing.role && ` · your role: ${standing.role}`}
      </p>
      {description && <p>{description}</p>}
      <Tabs
        label="Organization"
        base={basePath}
        tabs={[
          ['', 'Members'],
          ['invitations', 'Invitations'],
        ]}
      />
      {isAboutInvitations ? (
        <Invitations organization={organization} standing={standing} />
      ) : (
        <Members organization={organization} standing={standing} />
      )}
    </Page>
  )
}

interface OrganizationActionsProps {
  organization: Organization
  standing: MemberStanding
  membership: Membership | undefined
}

/** Renders the buttons for the actions on an organization that the user may perform. */
function OrganizationActions({ organization, standing, membership }: OrganizationActionsProps) {
  const [dialog, setDialog] = useState<'edit' | 'transfer' | 'leave' | 'delete'>()
  const onClose = () => setDialog(undefined)
  const mayLeave = membership !== undefined && membership.role !== 'owner'
  return (
    <>
      {isLeader(standing) && <Action text="Edit" onAsk={() => setDialog('edit')} />}
      {isOwner(standing) && <Action text="Transfer" onAsk={() => setDialog('transfer')} />}
      {mayLeave && <Action text="Leave" onAsk={() => setDialog('leave')} isDanger />}
      {isOwner(standing) && <Action text="Delete" onAsk={() => setDialog('delete')} isDanger />}
      {dialog === 'edit' && <EditOrganization organization={organization} onClose={onClose} />}
      {dialog === 'transfer' && (
        <TransferOrganization organization={organization} onClose={onClose} />
      )}
      {dialog === 'leave' && membership && (
        <LeaveOrganization organization={organization} membership={membership} onClose={onClose} />
      )}
      {dialog === 'delete' && <DeleteOrganization organization={organization} onClose={onClose} />}
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
