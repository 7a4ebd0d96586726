import type { Request } from '@reticle/sdk'
import { useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { CancelRequest } from './cancel-request.tsx'
import { shownReport } from './report-rows.ts'
import { ReportView } from './report-view.tsx'
import { isActive, localLink, requestTypeText } from './request-text.ts'

/** Renders the buttons for the actions on a request, for a table row. */
export function RequestActions({ request }: { request: Request }) {
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
