import type { Project } from '@reticle/sdk'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { Manage } from '../records/manage.tsx'
import { Transfers } from '../requests/transfers/transfers.tsx'

/** Renders the buttons for the actions on a project. */
export function ProjectActions({ project: { id, name, tasks } }: { project: Project }) {
  return (
    <>
      <Link className="button" href={`/projects/${id}/statistics`}>
        Statistics
      </Link>
      <Link className="button" href={`/projects/${id}/guide`}>
        Guide
      </Link>
      <Link className="button" href={`/webhooks?project_id=${id}`}>
        Webhooks
      </Link>
      <Transfers kind="project" id={id} name={name} />
      <Manage
        what="project"
        name={name}
        list="/projects"
        rename={(newName) => api.updateProject({ id, body: { name: newName } })}
        remove={() => api.deleteProject({ id })}
      >
        <p>
          Its labels go, and so do its {tasks.count} tasks with their frames and annotations. This
          cannot be undone.
        </p>
      </Manage>
    </>
  )
}
