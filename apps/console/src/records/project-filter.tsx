import { api } from '../api/client.ts'
import { useScoped } from '../api/queries.ts'
import { Equals } from './equals.tsx'

/** Renders a filter by project, with suggestions by name. */
export function ProjectFilter() {
  return (
    <Equals name="project_name" label="Project" offers={(typed) => <Projects typed={typed} />} />
  )
}

function Projects({ typed }: { typed: string }) {
  const input = { search: typed, page_size: 20 }
  const { data } = useScoped(api.listProjects, input, { enabled: typed !== '', keeps: true })
  return data?.results.map(({ id, name }) => <option key={id} value={name} />)
}
