import type { BasicUser } from '@reticle/sdk'
import { formatValue } from '../terminal/output.ts'
import type { TableColumn } from '../terminal/table.ts'

/** Creates a column that shows a field; numbers are right-aligned. */
export const createColumn = <Row>(
  title: string,
  of: (row: Row) => unknown,
  isNumber = false,
): TableColumn<Row> => ({ title, of: (row) => formatValue(of(row)), isNumber })

export const idColumn: TableColumn<{ id: number }> = createColumn('ID', ({ id }) => id, true)

export const updatedColumn: TableColumn<{ updated_date: string }> = createColumn(
  'UPDATED',
  ({ updated_date }) => updated_date,
)

export const ownerColumn: TableColumn<{ owner: BasicUser | null }> = createColumn(
  'OWNER',
  ({ owner }) => owner,
)

export const assigneeColumn: TableColumn<{ assignee: BasicUser | null }> = createColumn(
  'ASSIGNEE',
  ({ assignee }) => assignee,
)
