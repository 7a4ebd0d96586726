import type { Project as ProjectRecord } from '@reticle/sdk'
import { Link, useParams } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { ProjectLabels } from '../labels/project-labels.tsx'
import { TaskList } from '../tasks/task-list.tsx'
import { Facts } from '../ui/facts.tsx'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { personName } from '../ui/person-name.ts'
import { Time } from '../ui/time.tsx'
import './project.css'
import { ProjectActions } from './project-actions.tsx'
import { ProjectStatus } from './project-status.tsx'

/** Renders the page of a project: properties, labels and tasks. */
export function Project() {
  const { id } = useParams<{ id: string }>()
  const { data, error, refetch } = useAnswer(api.getProject, { id: Number(id) })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return (
    <Page
      title={data.name}
      above={
        <>
          <Link href="/projects">Projects</Link> / {data.id}
        </>
      }
      actions={<ProjectActions project={data} />}
    >
      <ProjectFacts project={data} />
      <ProjectLabels project={data} />
      <section aria-label="Tasks">
        <div className="head">
          <h2>Tasks</h2>
          <Link className="button primary" href={`/tasks/new?project=${data.id}`}>
            New task in this project
          </Link>
        </div>
        <TaskList projectId={data.id} />
      </section>
    </Page>
  )
}

function ProjectFacts({ project }: { project: ProjectRecord }) {
  const { owner, assignee, bug_tracker, created_date, updated_date } = project
  return (
    <Facts
      facts={{
        Status: <ProjectStatus project={project} />,
        Owner: owner ? personName(owner) : '–',
        Assignee: assignee ? personName(assignee) : '–',
        Created: <Time value={created_date} />,
        Updated: <Time value={updated_date} />,
        ...(bug_tracker && { 'Issue tracker': bug_tracker }),
      }}
    />
  )
}
