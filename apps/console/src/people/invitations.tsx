import type { Invitation, Organization } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { isLeader, type MemberStanding } from '../api/roles.ts'
import type { RecordColumn } from '../records/column.ts'
import { Listing } from '../records/listing.tsx'
import { curlOf, Empty } from '../ui/empty.tsx'
import { personName } from '../ui/person-name.ts'
import { Time } from '../ui/time.tsx'
import { InvitationDialog } from './invitation-dialog.tsx'
import { Invite } from './invite.tsx'

interface Props {
  organization: Organization
  standing: MemberStanding
}

/** Lists the invitations of an organization with their status. */
export function Invitations({ organization: { slug }, standing }: Props) {
  const [isInviting, setIsInviting] = useState(false)
  const [shown, setShown] = useState<Invitation>()
  return (
    <>
      {isLeader(standing) && (
        <div className="filters">
          <button type="button" className="primary" onClick={() => setIsInviting(true)}>
            Invite somebody
          </button>
        </div>
      )}
      <Listing
        name="Invitations"
        list={api.listInvitations}
        input={{ org: slug }}
        isScoped={false}
        columns={columnsFor(setShown)}
        keyOf={({ key }) => key}
        empty={<NoInvitation slug={slug} />}
      />
      {isInviting && (
        <Invite
          slug={slug}
          standing={standing}
          onInvited={(made) => {
            setIsInviting(false)
            if (!made.accepted) setShown(made)
          }}
          onClose={() => setIsInviting(false)}
        />
      )}
      {shown && <InvitationDialog invitation={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

function stateOf({ accepted, expired }: Invitation): string {
  if (accepted) return 'accepted'
  return expired ? 'expired' : 'waits'
}

const columnsFor = (onShow: (invitation: Invitation) => void): RecordColumn<Invitation>[] => [
  { title: 'Invited', cell: ({ user }) => personName(user) },
  { title: 'Role', isExtra: true, cell: ({ role }) => role },
  { title: 'State', width: '6rem', cell: stateOf },
  {
    title: 'Made',
    sort: 'created_date',
    isExtra: true,
    cell: ({ created_date }) => <Time value={created_date} />,
  },
  {
    title: 'Actions',
    width: '6rem',
    cell: (invitation) =>
      !invitation.accepted && (
        <button
          type="button"
          aria-label={`Open the invitation of ${invitation.user.username}`}
          onClick={() => onShow(invitation)}
        >
          Open
        </button>
      ),
  },
]

const NoInvitation = ({ slug }: { slug: string }) => (
  <Empty
    reticle={`reticle invitation create cy@example.org --role worker --organization ${slug}`}
    curl={curlOf(
      `/invitations?org=${slug}`,
      `-H 'Content-Type: application/json' -d '{"email":"cy@example.org","role":"worker"}'`,
    )}
  >
    Nobody waits for anything. People come in by invitation, to an e-mail address.
  </Empty>
)
