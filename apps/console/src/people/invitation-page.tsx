import type { Invitation } from '@reticle/sdk'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { api } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { queries, useAnswer, useChange } from '../api/queries.ts'
import { useSelf } from '../api/session.ts'
import { Confirm } from '../ui/dialog.tsx'
import { Failure, Loading } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import './people.css'

/** Renders the target page of the link of an invitation. */
export function InvitationPage() {
  const { key = '' } = useParams()
  const { data, error, refetch } = useAnswer(api.getInvitation, { key })
  return (
    <Page title="Invitation" above={<Link href="/people">People</Link>}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data ? <PendingInvitation invitation={data} /> : !error && <Loading />}
    </Page>
  )
}

function PendingInvitation({ invitation }: { invitation: Invitation }) {
  const self = useSelf().data
  const { accepted, user, organization_info } = invitation
  if (accepted) return <p>The invitation to {organization_info.slug} was accepted.</p>
  if (user.id !== self?.id)
    return <p>This invitation is for {user.username}. Sign in as this user to accept it.</p>
  return (
    <>
      <InvitationText invitation={invitation} />
      <AnswerInvitation invitation={invitation} />
    </>
  )
}

export function InvitationText({ invitation }: { invitation: Invitation }) {
  const { owner, organization_info, role, expired } = invitation
  return (
    <p>
      {owner?.username ?? 'A deleted user'} invites you to join{' '}
      <strong>{organization_info.slug}</strong> as {role}.
      {expired && ' The invitation has expired. Ask the organization to send it again.'}
    </p>
  )
}

/** Renders the buttons to accept or decline an invitation. Accepting opens the projects of the organization. */
export function AnswerInvitation({ invitation }: { invitation: Invitation }) {
  const { key, organization_info } = invitation
  const [, go] = useLocation()
  const { choose } = useOrganization()
  const [isDeclining, setIsDeclining] = useState(false)
  const accept = useChange(api.acceptInvitation, ({ organization_slug }) => {
    choose(organization_slug)
    go('/projects')
  })
  return (
    <div className="actions">
      {accept.error && <Failure error={accept.error} />}
      <button
        type="button"
        className="primary"
        disabled={accept.isPending}
        onClick={() => accept.mutate({ key })}
      >
        Accept
      </button>
      <button type="button" onClick={() => setIsDeclining(true)}>
        Decline
      </button>
      {isDeclining && (
        <Confirm
          title={`Decline the invitation to ${organization_info.slug}`}
          word={organization_info.slug}
          action="Decline"
          onConfirm={async () => {
            await api.declineInvitation({ key })
            go('/people')
            await queries.invalidateQueries()
          }}
          onClose={() => setIsDeclining(false)}
        >
          <p>The invitation is deleted. The organization can send another one.</p>
        </Confirm>
      )}
    </div>
  )
}
