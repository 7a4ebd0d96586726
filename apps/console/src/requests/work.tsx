import type { Request } from '@reticle/sdk'
import { Link } from 'wouter'
import { CancelRequest } from './cancel-request.tsx'
import { shownReport } from './report-rows.ts'
import { ReportView } from './report-view.tsx'
import { isActive, localLink } from './request-text.ts'
import { Stand } from './stand.tsx'

/** Shows a request: status, progress, actions and results. */
export function Work({ request }: { request: Request }) {
  const { status, message, result_url, operation } = request
  const report = shownReport(request)
  return (
    <div className="work">
      <div role="status">
        <Stand request={request} />
      </div>
      {status === 'failed' && (
        <div className="failure" role="alert">
          <p>{message}</p>
        </div>
      )}
      {status === 'started' && message && <p className="hint">{message}</p>}
      <div className="actions">
        {isActive(request) && <CancelRequest request={request} />}
        {result_url && (
          <a className="button primary" href={localLink(result_url)} download>
            Download
          </a>
        )}
        <Made request={request} />
      </div>
      {report && <ReportView report={report} type={operation.type} />}
    </div>
  )
}

/** Links to the object that was restored from a backup. */
function Made({ request: { operation, result_id } }: { request: Request }) {
  if (result_id === null) return null
  const { target } = operation
  return (
    <Link className="button primary" href={`/${target}s/${result_id}`}>
      Open the {target}
    </Link>
  )
}
