import { useListState } from './state.ts'
import { useTypedFilter } from './typed-filter.ts'

/** What is typed narrows the list after a moment. */
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
  /** Of the filter, in the address and for the service. */
  name: string
  label: string
  values: readonly string[]
}

/** One of some words, or any. */
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

/** A condition as the interface takes it, JSON Logic, for what the other filters cannot say. */
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
