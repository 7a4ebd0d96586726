import type { ReactNode } from 'react'

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
