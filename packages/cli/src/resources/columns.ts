import type { BasicUser } from '@reticle/sdk'
import { shown } from '../terminal/output.ts'
import type { Column } from '../terminal/table.ts'

/** Creates a column that shows a field; numbers are right-aligned. */
export const column = <Row>(
  title: string,
  of: (row: Row) => unknown,
  isNumber = false,
): Column<Row> => ({ title, of: (row) => shown(of(row)), isNumber })

export const idColumn: Column<{ id: number }> = column('ID', ({ id }) => id, true)

export const updatedColumn: Column<{ updated_date: string }> = column(
  'UPDATED',
  ({ updated_date }) => updated_date,
)

export const ownerColumn: Column<{ owner: BasicUser | null }> = column(
  'OWNER',
  ({ owner }) => owner,
)

export const assigneeColumn: Column<{ assignee: BasicUser | null }> = column(
  'ASSIGNEE',
  ({ assignee }) => assignee,
)
