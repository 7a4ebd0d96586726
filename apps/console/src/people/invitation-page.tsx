import type { Invitation } from '@reticle/sdk'
import { Link, useParams } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { useSelf } from '../api/session.ts'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { AnswerInvitation } from './answer-invitation.tsx'
import { InvitationText } from './invitation-text.tsx'
import './people.css'

/** Renders the target page of the link of an invitation. */
export function InvitationPage() {
  const { key = '' } = useParams()
  const { data, error, refetch } = useAnswer(api.getInvitation, { key })
  return (
    <Page title="Invitation" above={<Link href="/people">People</Link>}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data ? <Answerable invitation={data} /> : !error && <Loading />}
    </Page>
  )
}

function Answerable({ invitation }: { invitation: Invitation }) {
  const self = useSelf().data
  const { accepted, user, organization_info } = invitation
  if (accepted) return <p>It has been accepted: {organization_info.slug} is open.</p>
  if (user.id !== self?.id) return <p>It is for {user.username}, who is not signed in here.</p>
  return (
    <>
      <InvitationText invitation={invitation} />
      <AnswerInvitation invitation={invitation} />
    </>
  )
}
