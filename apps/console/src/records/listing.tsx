import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useRef } from 'react'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import type { RecordColumn } from './column.ts'
import { Heads } from './heads.tsx'
import { type RecordList, useFirst, useRecords } from './records.ts'
import { Row } from './row.tsx'
import { Space } from './space.tsx'
import { useListState } from './state.ts'

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
  const first = useFirst(props, sort)
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
