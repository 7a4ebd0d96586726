import { api } from '../api/client.ts'
import { useScoped } from '../api/queries.ts'
import { Equals } from './equals.tsx'

/** Renders a filter by user, with suggestions by name. */
export function PersonFilter({ name, label }: { name: string; label: string }) {
  return <Equals name={name} label={label} offers={(typed) => <People typed={typed} />} />
}

function People({ typed }: { typed: string }) {
  const input = { search: typed, page_size: 20 }
  const { data } = useScoped(api.listUsers, input, { enabled: typed !== '', keeps: true })
  return data?.results.map(({ id, username }) => <option key={id} value={username} />)
}
