import type { Webhook } from '@reticle/sdk'
import type { ReactNode } from 'react'
import { Link, useParams } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { Failure } from '../ui/failure.tsx'
import { useListState } from '../ui/listing/state.ts'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { Deliveries } from './deliveries.tsx'
import { Messages } from './messages.tsx'
import { OwnerLink } from './owner-link.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import './webhooks.css'

/** A webhook: its settings, what it was told, and what it is owed. */
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
      <Facts webhook={data} />
      <Views />
      {get('show') === 'messages' ? <Messages id={id} /> : <Deliveries id={id} />}
    </Page>
  )
}

function Facts({ webhook }: { webhook: Webhook }) {
  const { description, events_list, is_active, disabled_reason } = webhook
  const facts: [string, ReactNode][] = [
    [
      'State',
      is_active ? 'active' : `switched off${disabled_reason ? `: ${disabled_reason}` : ''}`,
    ],
    ['Description', description || '–'],
    ['Of', <OwnerLink key="owner" webhook={webhook} />],
    ['Events', events_list.join(', ')],
    ['Secret', webhook.has_secret ? 'deliveries are signed' : 'none: deliveries are not signed'],
    ['Certificate', webhook.enable_ssl ? 'is checked' : 'is not checked'],
    ['Owner', webhook.owner?.username ?? '–'],
    ['Updated', <Time key="updated" value={webhook.updated_date} />],
  ]
  return (
    <dl className="details">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const views = [
  ['', 'Deliveries'],
  ['messages', 'Messages'],
] as const

function Views() {
  const { get, set } = useListState()
  return (
    <nav className="views" aria-label="What was told">
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
