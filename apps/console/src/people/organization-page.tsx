import type { Organization } from '@reticle/sdk'
import { Link, useParams } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { useStanding } from '../api/standing.ts'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Invitations } from './invitations.tsx'
import { Members } from './members.tsx'
import { OrganizationActions } from './organization-actions.tsx'
import './people.css'

/** Renders the page of an organization with its members or invitations. */
export function OrganizationPage() {
  const { id = '', part } = useParams()
  const { data, error, refetch } = useAnswer(api.getOrganization, { id: Number(id) })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return <Shown organization={data} isAboutInvitations={part === 'invitations'} />
}

interface Props {
  organization: Organization
  isAboutInvitations: boolean
}

function Shown({ organization, isAboutInvitations }: Props) {
  const { standing, membership } = useStanding(organization)
  const { id, slug, name, description } = organization
  const basePath = `/people/organizations/${id}`
  return (
    <Page
      title={name || slug}
      above={<Link href="/people">People</Link>}
      actions={<OrganizationActions {...{ organization, standing, membership }} />}
    >
      <p className="hint">
        {slug} · owned by {organization.owner?.username ?? 'nobody'}
        {standing.role && ` · you are ${standing.role}`}
      </p>
      {description && <p>{description}</p>}
      <Tabs
        label="Of the organization"
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
