import type { Webhook } from '@reticle/sdk'
import { Link, useParams } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { useListState } from '../records/list-state.ts'
import { Failure, Loading } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { Facts, Time } from '../ui/values.tsx'
import { Deliveries } from './deliveries.tsx'
import { Messages } from './messages.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { OwnerLink } from './webhook-state.tsx'
import './webhooks.css'

export function WebhookPage() {
  const id = Number(useParams<{ id: string }>().id)
  const { data, error } = useAnswer(api.getWebhook, { id })
  const { get } = useListState()
  if (error) return <Failure error={error} />
  if (!data) return <Loading />
  return (
    <Page
      title={data.target_url}
      above={<Link href="/webhooks">Webhooks</Link>}
      actions={<WebhookActions webhook={data} />}
    >
      <WebhookFacts webhook={data} />
      <Views />
      {get('show') === 'messages' ? <Messages id={id} /> : <Deliveries id={id} />}
    </Page>
  )
}

function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { description, events_list, is_active, disabled_reason } = webhook
  const off = disabled_reason ? `switched off: ${disabled_reason}` : 'switched off'
  return (
    <Facts
      isList
      facts={{
        State: is_active ? 'active' : off,
        Description: description || '–',
        Scope: <OwnerLink webhook={webhook} />,
        Events: events_list.join(', '),
        Payloads:
          webhook.dialect === 'cvat' ? 'in the format of CVAT' : 'in the format of this service',
        Secret: webhook.has_secret ? 'deliveries are signed' : 'none: deliveries are not signed',
        Certificate: webhook.enable_ssl ? 'verified' : 'not verified',
        Owner: ownerText(webhook),
        Updated: <Time value={webhook.updated_date} />,
      }}
    />
  )
}

/** A webhook stays active after its owner left, so the page asks the leaders of the organization to check it. */
function ownerText({ owner, owner_left_date }: Webhook): string {
  const name = owner?.username ?? '–'
  return owner_left_date
    ? `${name} (no longer a member: check whether the webhook is still needed)`
    : name
}

const views = [
  ['', 'Deliveries'],
  ['messages', 'Messages'],
] as const

function Views() {
  const { get, set } = useListState()
  return (
    <nav className="views" aria-label="Views">
      {views.map(([show, name]) => (
        <button
          key={name}
          type="button"
          aria-current={(get('show') ?? '') === show ? 'page' : undefined}
          onClick={() => set({ show })}
        >
          {name}
        </button>
      ))}
    </nav>
  )
}
