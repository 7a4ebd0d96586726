import type { Project as ProjectRecord } from '@reticle/sdk'
import type { ReactNode } from 'react'
import { Link, useParams } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { TaskList } from '../tasks/task-list.tsx'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { ProjectLabels } from './labels/project-labels.tsx'
import './project.css'
import { ProjectActions } from './project-actions.tsx'
import { ProjectStatus } from './project-status.tsx'

/** A project: what it is, its labels, its tasks. */
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
      <Facts project={data} />
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

function Facts({ project }: { project: ProjectRecord }) {
  const { owner, assignee, bug_tracker, created_date, updated_date } = project
  return (
    <dl className="facts">
      <Fact name="Status">
        <ProjectStatus project={project} />
      </Fact>
      <Fact name="Owner">{owner?.username ?? '–'}</Fact>
      <Fact name="Assignee">{assignee?.username ?? '–'}</Fact>
      <Fact name="Created">
        <Time value={created_date} />
      </Fact>
      <Fact name="Updated">
        <Time value={updated_date} />
      </Fact>
      {bug_tracker && <Fact name="Issue tracker">{bug_tracker}</Fact>}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
