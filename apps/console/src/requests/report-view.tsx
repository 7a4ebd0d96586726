import type { Report } from '@reticle/sdk'
import { useState } from 'react'
import { codesOf, sumText } from './report-rows.ts'
import { ReportTable } from './report-table.tsx'
import { saveText } from './save-text.ts'
import './requests.css'

/**
 * Shows the report of a request: totals, entries with reasons, and a download of the whole report.
 *
 * @param props.type type of the request
 */
export function ReportView({ report, type }: { report: Report; type: string }) {
  const [code, setCode] = useState('')
  const codes = codesOf(report)
  return (
    <section className="report" aria-label="Report">
      <p>{sumText(report, type)}</p>
      {codes.length === 0 ? (
        <p className="hint">Nothing was lost on the way.</p>
      ) : (
        <>
          <div className="filters">
            <select aria-label="Code" value={code} onChange={({ target }) => setCode(target.value)}>
              <option value="">Code: any</option>
              {codes.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </div>
          <ReportTable report={report} code={code} />
        </>
      )}
      <button
        type="button"
        onClick={() => saveText('report.json', JSON.stringify(report, undefined, 2))}
      >
        Download the report as JSON
      </button>
    </section>
  )
}
