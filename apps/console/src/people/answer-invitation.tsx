import type { Invitation } from '@reticle/sdk'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { queries, useChange } from '../api/queries.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'

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
          title={`Decline to join ${organization_info.slug}`}
          word={organization_info.slug}
          action="Decline"
          onConfirm={async () => {
            await api.declineInvitation({ key })
            go('/people')
            await queries.invalidateQueries()
          }}
          onClose={() => setIsDeclining(false)}
        >
          <p>The invitation goes. Whoever sent it may send another.</p>
        </Confirm>
      )}
    </div>
  )
}
