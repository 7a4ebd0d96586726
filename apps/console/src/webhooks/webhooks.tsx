import type { Webhook } from '@reticle/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { Choice, Condition, Search } from '../records/filters.tsx'
import { useListState } from '../records/list-state.ts'
import { Listing, type RecordColumn } from '../records/listing.tsx'
import { curlOf, Empty } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/values.tsx'
import { CreateWebhook } from './create-webhook.tsx'
import { OwnerLink, StatusCode, SwitchWebhook } from './webhook-state.tsx'
import './webhooks.css'

const types = ['organization', 'project'] as const

const columns: readonly RecordColumn<Webhook>[] = [
  {
    title: 'Address',
    sort: 'target_url',
    cell: ({ id, target_url }) => <Link href={`/webhooks/${id}`}>{target_url}</Link>,
  },
  {
    title: 'Scope',
    width: '9rem',
    isExtra: true,
    cell: (webhook) => <OwnerLink webhook={webhook} />,
  },
  { title: 'Events', width: '6rem', isExtra: true, cell: ({ events_list }) => events_list.length },
  { title: 'Last', width: '4rem', cell: ({ last_status }) => <StatusCode status={last_status} /> },
  {
    title: 'Updated',
    sort: 'updated_date',
    width: '9rem',
    isExtra: true,
    cell: ({ updated_date }) => <Time value={updated_date} />,
  },
  { title: 'State', width: '7rem', cell: (webhook) => <SwitchWebhook webhook={webhook} /> },
]

/** Renders the page with the webhooks of the workspace, or of one project with `project_id` in the address. */
export function Webhooks() {
  const { get } = useListState()
  const [isCreating, setIsCreating] = useState(false)
  const projectId = Number(get('project_id')) || undefined
  const input = {
    search: get('search'),
    filter: get('filter'),
    type: types.find((one) => one === get('type')),
    project_id: projectId,
  }
  const above = projectId !== undefined && (
    <Link href={`/projects/${projectId}`}>Project {projectId}</Link>
  )
  const actions = (
    <button type="button" className="primary" onClick={() => setIsCreating(true)}>
      New webhook
    </button>
  )
  return (
    <Page title="Webhooks" above={above} actions={actions}>
      <div className="filters">
        <Search label="Search webhooks" />
        <Choice name="type" label="Type" values={types} />
        <Condition />
      </div>
      <Listing
        name="Webhooks"
        list={api.listWebhooks}
        input={input}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<NoWebhooks />}
      />
      {isCreating && <CreateWebhook projectId={projectId} onClose={() => setIsCreating(false)} />}
    </Page>
  )
}

const example = {
  target_url: 'https://ci.example.org/hook',
  type: 'project',
  project_id: 7,
  events: 'update:task',
}

function NoWebhooks() {
  return (
    <Empty
      reticle={`reticle webhook create ${example.target_url} --type project --project 7 --events update:task`}
      curl={curlOf(
        '/webhooks',
        `-H 'Content-Type: application/json' -d '${JSON.stringify(example)}'`,
      )}
    >
      There are no webhooks here. A webhook sends each event, signed, to an address that you choose.
    </Empty>
  )
}
