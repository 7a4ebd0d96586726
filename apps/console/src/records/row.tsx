import type { RecordColumn } from './column.ts'

interface Props<R> {
  index: number
  /** Undefined while loading, which shows an empty row. */
  record: R | undefined
  columns: readonly RecordColumn<R>[]
}

export function Row<R>({ index, record, columns }: Props<R>) {
  return (
    <tr aria-rowindex={index + 2} aria-busy={record === undefined}>
      {columns.map(({ title, cell, isExtra }) => (
        <td key={title} className={isExtra ? 'extra' : undefined}>
          {record === undefined ? '…' : cell(record)}
        </td>
      ))}
    </tr>
  )
}
