import type { Request } from '@reticle/sdk'
import { Link, useParams } from 'wouter'
import { api } from '../api/client.ts'
import { keyOf, queries, useAnswer } from '../api/queries.ts'
import { Failure, Loading } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { Facts, Time } from '../ui/values.tsx'
import { useLiveRequests } from './live-requests.ts'
import { isActive, requestTypeText } from './request-text.ts'
import { RequestView, TargetLink } from './request-view.tsx'

const pollMs = 5000

/** Renders the page of a request. Requests of other users have no event stream, so the page polls. */
export function RequestPage() {
  const { rq_id = '' } = useParams<{ rq_id: string }>()
  const input = { rq_id: decodeURIComponent(rq_id) }
  useLiveRequests()
  const known = queries.getQueryData<Request>(keyOf(api.getRequest, input))
  const isOver = known !== undefined && !isActive(known)
  const { data, error } = useAnswer(api.getRequest, input, isOver ? {} : { everyMs: pollMs })
  const above = <Link href="/requests">Requests</Link>
  if (error) return <Failure error={error} />
  if (!data) return <Loading />
  return (
    <Page title={requestTypeText(data)} above={above}>
      <RequestFacts request={data} />
      <RequestView request={data} />
    </Page>
  )
}

function RequestFacts({ request }: { request: Request }) {
  const { operation, owner, attempt } = request
  return (
    <Facts
      isList
      facts={{
        Target: <TargetLink request={request} />,
        Format: operation.format ?? '–',
        User: owner.username,
        Created: <Time value={request.created_date} />,
        Started: <Time value={request.started_date} />,
        Ended: <Time value={request.finished_date} />,
        'Kept until': <Time value={request.expiry_date} />,
        Attempt: attempt,
        Id: <code>{request.id}</code>,
      }}
    />
  )
}
