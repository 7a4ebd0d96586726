import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useRef } from 'react'
import { Failure, Loading } from '../ui/feedback.tsx'
import { nextSort, useListState } from './list-state.ts'
import { type RecordList, useFirstPage, useRecords } from './record-pages.ts'

interface Props<I, R> extends RecordList<I, R> {
  /** Name of the table for screen readers. */
  name: string
  columns: readonly RecordColumn<R>[]
  keyOf: (record: R) => string | number
  /** Shown instead of an empty table. */
  empty: ReactNode
}

const rowHeight = 44

/** Renders a table of records, loaded as far as it is scrolled; its order is stored in the address. */
export function Listing<I, R>(props: Props<I, R>) {
  const { sort } = useListState()
  const first = useFirstPage(props, sort)
  const count = first.data?.count ?? 0
  if (first.error) return <Failure error={first.error} onRetry={() => void first.refetch()} />
  if (!first.data) return <Loading />
  if (count === 0) return props.empty
  return <Table {...props} count={count} sort={sort} />
}

interface TableProps<I, R> extends Props<I, R> {
  count: number
  sort: string | undefined
}

function Table<I, R>({ name, columns, count, sort, ...listed }: TableProps<I, R>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const rows = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: body.current?.offsetTop ?? 0,
  })
  const items = rows.getVirtualItems()
  const recordAt = useRecords(listed, sort, items)
  const above = (items[0]?.start ?? 0) - rows.options.scrollMargin
  const below = rows.getTotalSize() + rows.options.scrollMargin - (items.at(-1)?.end ?? 0)
  return (
    <>
      <table className="listing" aria-label={name} aria-rowcount={count + 1}>
        <Heads columns={columns} />
        <tbody ref={body}>
          <Space height={above} />
          {items.map(({ index }) => {
            const record = recordAt(index)
            const key = record === undefined ? `row ${index}` : listed.keyOf(record)
            return <Row key={key} index={index} record={record} columns={columns} />
          })}
          <Space height={below} />
        </tbody>
      </table>
      <p className="hint" role="status">
        {count} in all
      </p>
    </>
  )
}

/** Column of a table of records. */
export interface RecordColumn<R> {
  title: string
  cell: (record: R) => ReactNode
  /** Field by which the column sorts the list. */
  sort?: string
  /** Width: `30%`, `8rem`; columns without one share the rest. */
  width?: string
  /** Whether the column is hidden on narrow screens. */
  isExtra?: boolean
}

/** Renders the column headers; sortable ones are buttons. */
function Heads<R>({ columns }: { columns: readonly RecordColumn<R>[] }) {
  const { sort, set } = useListState()
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ title, sort: field, width, isExtra }) => (
          <th
            key={title}
            scope="col"
            className={isExtra ? 'extra' : undefined}
            style={{ width }}
            aria-sort={directionOf(sort, field)}
          >
            {field ? (
              <button
                type="button"
                className="plain"
                onClick={() => set({ sort: nextSort(sort, field) })}
              >
                {title} <span aria-hidden="true">{arrows[directionOf(sort, field) ?? 'none']}</span>
              </button>
            ) : (
              title
            )}
          </th>
        ))}
      </tr>
    </thead>
  )
}

const arrows = { ascending: '↑', descending: '↓', none: '' }

function directionOf(sort: string | undefined, field: string | undefined) {
  if (!field) return undefined
  if (sort === field) return 'ascending'
  return sort === `-${field}` ? 'descending' : 'none'
}

interface RowProps<R> {
  index: number
  /** Undefined while loading, which shows an empty row. */
  record: R | undefined
  columns: readonly RecordColumn<R>[]
}

function Row<R>({ index, record, columns }: RowProps<R>) {
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

/** Renders a placeholder for the rows outside the visible area. */
export function Space({ height }: { height: number }) {
  return height > 0 && <tr style={{ height }} />
}
