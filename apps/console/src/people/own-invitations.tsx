import type { User } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { AnswerInvitation } from './answer-invitation.tsx'
import { InvitationText } from './invitation-text.tsx'

/** Shows the pending invitations of the signed-in user. */
export function OwnInvitations({ self }: { self: User }) {
  const waiting = { user_id: self.id, accepted: false, page_size: 20 }
  const { data } = useAnswer(api.listInvitations, waiting)
  return data?.results.map((invitation) => (
    <section key={invitation.key} className="invited" aria-label="Invitation">
      <InvitationText invitation={invitation} />
      <AnswerInvitation invitation={invitation} />
    </section>
  ))
}
