import { Link, useParams } from 'wouter'
import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Page } from '../../ui/page.tsx'
import { Statistics } from './statistics.tsx'

/** Renders the page with the statistics of all tasks of a project. */
export function ProjectStatistics() {
  const id = Number(useParams<{ id: string }>().id)
  const { data: project } = useAnswer(api.getProject, { id })
  return (
    <Page
      title="Statistics"
      above={<Link href={`/projects/${id}`}>{project?.name ?? `Project ${id}`}</Link>}
    >
      <Statistics of="project" id={id} />
    </Page>
  )
}
