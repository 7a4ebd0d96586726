import { useListState } from './state.ts'
import { useTypedFilter } from './typed-filter.ts'

/** Renders a search field that filters the list after a short delay. */
export function Search({ label }: { label: string }) {
  const { text, type } = useTypedFilter('search')
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={({ target }) => type(target.value)}
    />
  )
}

interface ChoiceProps {
  /** Name of the filter, in the address and the API. */
  name: string
  label: string
  values: readonly string[]
}

/** Renders a filter by one of several values, or any. */
export function Choice({ name, label, values }: ChoiceProps) {
  const { get, set } = useListState()
  return (
    <select
      aria-label={label}
      value={get(name) ?? ''}
      onChange={({ target }) => set({ [name]: target.value })}
    >
      <option value="">{label}: any</option>
      {values.map((value) => (
        <option key={value}>{value}</option>
      ))}
    </select>
  )
}

/** Renders a filter by a JSON Logic condition, for what the other filters cannot express. */
export function Condition() {
  const { get, set } = useListState()
  return (
    <details className="condition" open={get('filter') !== undefined}>
      <summary>Filter</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const { filter } = Object.fromEntries(new FormData(event.currentTarget))
          set({ filter: typeof filter === 'string' ? filter : undefined })
        }}
      >
        <input
          name="filter"
          aria-label="Condition in JSON Logic"
          placeholder='{"==":[{"var":"status"},"completed"]}'
          defaultValue={get('filter')}
        />
        <button type="submit">Apply</button>
      </form>
    </details>
  )
}
