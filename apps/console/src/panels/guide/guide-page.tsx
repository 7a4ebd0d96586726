import { Link, useParams } from 'wouter'
import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { GuideOfProject } from './guide.tsx'

/** Shows the guide of a project on a separate page. */
export function ProjectGuide() {
  const id = Number(useParams<{ id: string }>().id)
  const { data: project, error } = useAnswer(api.getProject, { id })
  return (
    <Page
      title="Guide"
      above={<Link href={`/projects/${id}`}>{project?.name ?? `Project ${id}`}</Link>}
    >
      {error && <Failure error={error} />}
      {!error && !project && <Loading />}
      {project && <GuideOfProject project={project} />}
    </Page>
  )
}
