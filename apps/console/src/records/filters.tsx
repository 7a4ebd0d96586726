import { type ReactNode, useEffect, useId, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { api } from '../api/client.ts'
import { useScoped } from '../api/queries.ts'
import { useListState } from './list-state.ts'

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

interface EqualsFilterProps {
  /** Name of the filter, in the address and the API. */
  name: string
  label: string
  /** Returns suggestions for the typed text: options of a `datalist`. */
  offers?: (typed: string) => ReactNode
}

function EqualsFilter({ name, label, offers }: EqualsFilterProps) {
  const { text, type } = useTypedFilter(name)
  const id = useId()
  return (
    <>
      <input
        aria-label={label}
        placeholder={`${label}: any`}
        list={offers && id}
        value={text}
        onChange={({ target }) => type(target.value)}
      />
      {offers && <datalist id={id}>{offers(text)}</datalist>}
    </>
  )
}

/** Renders a filter by user, with suggestions by name. */
export function PersonFilter({ name, label }: { name: string; label: string }) {
  return <EqualsFilter name={name} label={label} offers={(typed) => <People typed={typed} />} />
}

function People({ typed }: { typed: string }) {
  const input = { search: typed, page_size: 20 }
  const { data } = useScoped(api.listUsers, input, { enabled: typed !== '', keeps: true })
  return data?.results.map(({ id, username }) => <option key={id} value={username} />)
}

/** Renders a filter by project, with suggestions by name. */
export function ProjectFilter() {
  return (
    <EqualsFilter
      name="project_name"
      label="Project"
      offers={(typed) => <Projects typed={typed} />}
    />
  )
}

function Projects({ typed }: { typed: string }) {
  const input = { search: typed, page_size: 20 }
  const { data } = useScoped(api.listProjects, input, { enabled: typed !== '', keeps: true })
  return data?.results.map(({ id, name }) => <option key={id} value={name} />)
}

const whole = ['sort', 'org'] // these parameters do not filter

/** Renders, instead of an empty table, a hint when filters are active, otherwise the children. */
export function OrNoMatches({ children }: { children: ReactNode }) {
  const [params] = useSearchParams()
  const [path, go] = useLocation()
  const isNarrowed = [...params.keys()].some((name) => !whole.includes(name))
  if (!isNarrowed) return children
  return (
    <div className="empty">
      <p>No matches.</p>
      <button type="button" onClick={() => go(path)}>
        Clear the filters
      </button>
    </div>
  )
}

const pauseMs = 300

/** Returns a filter that is typed: it updates the address after a short delay, and follows changes of the address. */
function useTypedFilter(name: string) {
  const { get, set } = useListState()
  const [typed, setTyped] = useState<string>()
  useEffect(() => {
    if (typed === undefined) return
    const later = setTimeout(() => {
      set({ [name]: typed })
      setTyped(undefined)
    }, pauseMs)
    return () => clearTimeout(later)
  })
  return { text: typed ?? get(name) ?? '', type: setTyped }
}
