import type { Report } from '@reticle/sdk'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { Space } from '../records/space.tsx'
import { type ReportRow, reportRows } from './report-rows.ts'

const rowHeight = 52

/** Renders a table of report entries; only visible rows are rendered. */
export function ReportTable({ report, code }: { report: Report; code: string }) {
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
        {count !== undefined && <Second text={`${count} times`} />}
      </td>
      <td title={`${file} ${item}`}>
        {item || '–'}
        <Second text={file} />
      </td>
      <td title={reason}>
        {reason}
        <Second text={code} />
      </td>
    </tr>
  )
}

/** Secondary text below the main text of a cell. */
function Second({ text }: { text: string }) {
  return <div className="hint second">{text}</div>
}
