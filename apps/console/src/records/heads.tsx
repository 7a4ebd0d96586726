import type { RecordColumn } from './column.ts'
import { nextSort, useListState } from './state.ts'

/** Renders the column headers; sortable ones are buttons. */
export function Heads<R>({ columns }: { columns: readonly RecordColumn<R>[] }) {
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
