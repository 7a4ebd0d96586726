import type { Request } from '@reticle/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { Choice, Condition } from '../records/filters.tsx'
import { useListState } from '../records/list-state.ts'
import { Listing, type RecordColumn } from '../records/listing.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { curlOf, Empty, Failure } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/values.tsx'
import { useLiveRequests } from './live-requests.ts'
import { shownReport } from './report-rows.ts'
import { ReportView } from './report-view.tsx'
import { isActive, localLink, requestPath, requestTypeText } from './request-text.ts'
import { CancelRequest, RequestStatus, TargetLink } from './request-view.tsx'
import './requests.css'

const statuses = ['queued', 'started', 'finished', 'failed'] as const
const actions = ['export', 'import', 'create'] as const
const targets = ['project', 'task', 'job', 'events'] as const

const columns: readonly RecordColumn<Request>[] = [
  {
    title: 'Request',
    width: '11.5rem',
    cell: (request) => <Link href={requestPath(request.id)}>{requestTypeText(request)}</Link>,
  },
  {
    title: 'Target',
    width: '7rem',
    isExtra: true,
    cell: (request) => <TargetLink request={request} />,
  },
  {
    title: 'Format',
    width: '10rem',
    isExtra: true,
    cell: ({ operation }) => operation.format ?? '',
  },
  { title: 'User', width: '7rem', isExtra: true, cell: ({ owner }) => owner.username },
  { title: 'Status', sort: 'status', cell: (request) => <RequestState request={request} /> },
  {
    title: 'Created',
    sort: 'created_date',
    width: '9rem',
    isExtra: true,
    cell: ({ created_date }) => <Time value={created_date} />,
  },
  {
    title: 'Actions',
    width: '13rem',
    isExtra: true,
    cell: (request) => <RequestActions request={request} />,
  },
]

/** Shows the status of a request in one line, with the reason of a failure. */
function RequestState({ request }: { request: Request }) {
  const { status, message } = request
  if (status !== 'failed') return <RequestStatus request={request} />
  return (
    <span title={message}>
      <span className="status failed">failed</span> <span className="hint">{message}</span>
    </span>
  )
}

/** Renders the page with the requests of the user, updated live. */
export function Requests() {
  const { get } = useListState()
  const error = useLiveRequests()
  const input = {
    filter: get('filter'),
    status: statuses.find((one) => one === get('status')),
    action: actions.find((one) => one === get('action')),
    target: targets.find((one) => one === get('target')),
  }
  return (
    <Page title="Requests">
      <div className="filters">
        <Choice name="status" label="Status" values={statuses} />
        <Choice name="action" label="Action" values={actions} />
        <Choice name="target" label="Target" values={targets} />
        <Condition />
      </div>
      {error && <Failure error={error} />}
      <Listing
        name="Requests"
        list={api.listRequests}
        input={input}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<NoRequests />}
      />
    </Page>
  )
}

function NoRequests() {
  return (
    <Empty
      reticle='reticle export task 12 --format "COCO 1.0" --images'
      curl={curlOf('/tasks/12/dataset/export?format=COCO%201.0&save_images=true', '-X POST')}
    >
      There are no requests here. Imports, exports, backups and new media appear when they start.
    </Empty>
  )
}

function RequestActions({ request }: { request: Request }) {
  const [isShown, setIsShown] = useState(false)
  const { result_url, operation } = request
  const report = shownReport(request)
  return (
    <span className="row-actions">
      {isActive(request) && <CancelRequest request={request} />}
      {result_url && (
        <a href={localLink(result_url)} download>
          Download
        </a>
      )}
      {report && (
        <button type="button" className="plain link" onClick={() => setIsShown(true)}>
          Report
        </button>
      )}
      {isShown && report && (
        <Dialog title={requestTypeText(request)} onClose={() => setIsShown(false)}>
          <ReportView report={report} type={operation.type} />
        </Dialog>
      )}
    </span>
  )
}
