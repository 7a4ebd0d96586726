import type { Request } from '@reticle/sdk'
import { Link } from 'wouter'

/** Links to the object that a request concerns. */
export function TargetLink({ request: { operation } }: { request: Request }) {
  const { target, project_id, task_id, job_id } = operation
  if (target === 'task' && task_id !== null)
    return <Link href={`/tasks/${task_id}`}>Task {task_id}</Link>
  if (target === 'job' && job_id !== null) return <Link href={`/jobs/${job_id}`}>Job {job_id}</Link>
  if (target === 'project' && project_id !== null)
    return <Link href={`/projects/${project_id}`}>Project {project_id}</Link>
  return <>–</>
}
