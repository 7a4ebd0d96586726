import { useId, useState } from 'react'
import { api } from '../api/client.ts'
import { useScoped } from '../api/queries.ts'

const shownProjects = 20

/** Renders a field for a project id, with a search by name. */
export function ProjectField({ projectId }: { projectId: number | undefined }) {
  const id = useId()
  const [typed, setTyped] = useState(projectId === undefined ? '' : String(projectId))
  const search = /^\d/.test(typed) ? undefined : typed.trim() || undefined
  const input = { search, page_size: shownProjects, sort: '-updated_date' }
  const { data } = useScoped(api.listProjects, input, { keeps: true })
  return (
    <div className="field">
      <label htmlFor={id}>Project</label>
      <input
        id={id}
        name="project"
        list={`${id}-list`}
        required
        pattern="\d+.*"
        title="The number of a project"
        autoComplete="off"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <datalist id={`${id}-list`}>
        {data?.results.map((project) => (
          <option key={project.id} value={`${project.id} ${project.name}`} />
        ))}
      </datalist>
    </div>
  )
}
