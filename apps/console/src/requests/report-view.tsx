import type { Report } from '@reticle/sdk'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState } from 'react'
import { Space } from '../records/listing.tsx'
import { codesOf, type ReportRow, reportRows, sumText } from './report-rows.ts'
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
        <p className="hint">Nothing was skipped, converted or dropped.</p>
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

const rowHeight = 52

/** Renders a table of report entries; only visible rows are rendered. */
function ReportTable({ report, code }: { report: Report; code: string }) {
  const box = useRef<HTMLElement>(null)
  const rows = reportRows(report, code)
  const visible = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  })
  const items = visible.getVirtualItems()
  const below = visible.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
    <section className="report-rows" ref={box} tabIndex={0} aria-label="Entries of the report">
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">What</th>
            <th scope="col">Where</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          <Space height={items[0]?.start ?? 0} />
          {items.map(({ index }) => {
            const row = rows[index]
            return row && <Row key={row.key} index={index} row={row} />
          })}
          <Space height={below} />
        </tbody>
      </table>
    </section>
  )
}

function Row({ index, row }: { index: number; row: ReportRow }) {
  const { kind, count, code, file, item, reason } = row
  return (
    <tr aria-rowindex={index + 2}>
      <td>
        <span className={`fate ${kind}`}>{kind}</span>
        {count !== undefined && <SecondaryText text={`${count} times`} />}
      </td>
      <td title={`${file} ${item}`}>
        {item || '–'}
        <SecondaryText text={file} />
      </td>
      <td title={reason}>
        {reason}
        <SecondaryText text={code} />
      </td>
    </tr>
  )
}

/** Secondary text below the main text of a cell. */
function SecondaryText({ text }: { text: string }) {
  return <div className="hint second">{text}</div>
}

/** Saves a text as a file in the browser. */
function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 1000) // the browser has started to read it by then
}
