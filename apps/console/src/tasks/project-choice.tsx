import { useId } from 'react'
import { api } from '../api/client.ts'
import { useAnswer, useScoped } from '../api/queries.ts'

interface Props {
  value: number | undefined
  onChoose: (projectId: number | undefined) => void
}

/** Renders a field to select the project of a task, among the recently changed ones and the preselected one. */
export function ProjectChoice({ value, onChoose }: Props) {
  const id = useId()
  const { data } = useScoped(api.listProjects, { sort: '-updated_date', page_size: 100 })
  const listed = data?.results ?? []
  const isElsewhere = value !== undefined && !listed.some((one) => one.id === value)
  const { data: other } = useAnswer(api.getProject, { id: value ?? 0 }, { enabled: isElsewhere })
  if (!data?.count && value === undefined) return null
  return (
    <div className="field">
      <label htmlFor={id}>Project</label>
      <select
        id={id}
        value={value ?? ''}
        onChange={({ target }) => onChoose(Number(target.value) || undefined)}
      >
        <option value="">none: the task has labels of its own</option>
        {isElsewhere && <option value={value}>{other?.name ?? `project ${value}`}</option>}
        {listed.map((project) => (
          <option key={project.id} value={project.id}>
            {project.name}
          </option>
        ))}
      </select>
    </div>
  )
}
