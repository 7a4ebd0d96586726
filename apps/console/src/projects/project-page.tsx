import type { Project } from '@reticle/sdk'
import { Link, useParams } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { ProjectLabels } from '../labels/project-labels.tsx'
import { RecordActions } from '../records/record-actions.tsx'
import { Transfers } from '../requests/transfers/transfers.tsx'
import { TaskList } from '../tasks/tasks.tsx'
import { Failure, Loading } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { Facts, personName, Time } from '../ui/values.tsx'
import { ProjectStatus } from './project-status.tsx'
import './project-page.css'

export function ProjectPage() {
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

function ProjectFacts({ project }: { project: Project }) {
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

function ProjectActions({ project: { id, name, tasks } }: { project: Project }) {
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
      <RecordActions
        what="project"
        name={name}
        list="/projects"
        rename={(newName) => api.updateProject({ id, body: { name: newName } })}
        remove={() => api.deleteProject({ id })}
      >
        <p>
          Its labels and its {tasks.count} tasks are deleted as well, with their frames and
          annotations. This cannot be undone.
        </p>
      </RecordActions>
    </>
  )
}
