import type { Organization, User } from '@reticle/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { isAdministrator } from '../api/roles.ts'
import { useSelf } from '../api/session.ts'
import { Search } from '../records/filters.tsx'
import { useListState } from '../records/list-state.ts'
import { Listing, type RecordColumn } from '../records/listing.tsx'
import { curlOf, Empty } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/values.tsx'
import { AnswerInvitation, InvitationText } from './invitation-page.tsx'
import { NewOrganization } from './organization-dialogs.tsx'
import './people.css'

const columns: readonly RecordColumn<Organization>[] = [
  {
    title: 'Organization',
    sort: 'slug',
    cell: ({ id, slug }) => <Link href={`/people/organizations/${id}`}>{slug}</Link>,
  },
  { title: 'Name', sort: 'name', cell: ({ name }) => name },
  { title: 'Owner', sort: 'owner', isExtra: true, cell: ({ owner }) => owner?.username ?? '–' },
  { title: 'Created', isExtra: true, cell: ({ created_date }) => <Time value={created_date} /> },
]

/** Renders the page with the organizations and pending invitations of the user. */
export function People() {
  const self = useSelf().data
  const { get } = useListState()
  const [isCreating, setIsCreating] = useState(false)
  return (
    <Page
      title="People"
      actions={
        <>
          {self && isAdministrator(self) && <Link href="/people/users">Users</Link>}
          <button type="button" className="primary" onClick={() => setIsCreating(true)}>
            New organization
          </button>
        </>
      }
    >
      {self && <OwnInvitations self={self} />}
      <div className="filters">
        <Search label="Search organizations" />
      </div>
      <Listing
        name="Organizations"
        list={api.listOrganizations}
        input={{ search: get('search') }}
        isScoped={false}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<NoOrganization />}
      />
      {isCreating && <NewOrganization onClose={() => setIsCreating(false)} />}
    </Page>
  )
}

const NoOrganization = () => (
  <Empty
    reticle="reticle org create acme --name 'Acme Vision'"
    curl={curlOf('/organizations', `-H 'Content-Type: application/json' -d '{"slug":"acme"}'`)}
  >
    There is no organization here. In an organization, users share projects and tasks, each with a
    role.
  </Empty>
)

function OwnInvitations({ self }: { self: User }) {
  const waiting = { user_id: self.id, accepted: false, page_size: 20 }
  const { data } = useAnswer(api.listInvitations, waiting)
  return data?.results.map((invitation) => (
    <section key={invitation.key} className="invited" aria-label="Invitation">
      <InvitationText invitation={invitation} />
      <AnswerInvitation invitation={invitation} />
    </section>
  ))
}
