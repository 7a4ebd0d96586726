import type { ReactNode } from 'react'

/** A column of a table of records. */
export interface Column<R> {
  title: string
  cell: (record: R) => ReactNode
  /** The field that the list is sorted by. */
  sort?: string
  /** Of the table: `30%`, `8rem`; what is left is shared. */
  width?: string
  /** Left out where there is little room. */
  isExtra?: boolean
}
