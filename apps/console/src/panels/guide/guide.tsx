import type { Project, Task } from '@reticle/sdk'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link, useParams } from 'wouter'
import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { useSelf } from '../../api/session.ts'
import { callTagged } from '../../api/tagged-record.ts'
import { curlOf, Empty, Failure, Loading } from '../../ui/feedback.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/values.tsx'
import { GuideEditor, LazyMarkdown } from './guide-editor.tsx'
import { type GuideOwner, mayEdit } from './may-edit.ts'
import './guide.css'

/** Shows the guide for the annotators of a task. */
export const GuideOfTask = ({ task }: { task: Task }) => (
  <GuideOf of={task} guideId={task.guide_id} owner={{ task_id: task.id }} />
)

/** Shows the guide of a project, which applies to all its tasks. */
const GuideOfProject = ({ project }: { project: Project }) => (
  <GuideOf of={project} guideId={project.guide_id} owner={{ project_id: project.id }} />
)

interface Props {
  of: GuideOwner
  guideId: number | null
  owner: { task_id: number } | { project_id: number }
}

function GuideOf({ of, guideId, owner }: Props) {
  const { data: self } = useSelf()
  const [isEdited, setIsEdited] = useState(false)
  const { data: read, error } = useQuery({
    queryKey: ['guideWithTag', guideId],
    queryFn: () => callTagged('getGuide', { id: guideId ?? 0 }), // a later save names the entity tag that was read
    enabled: guideId !== null,
  })
  const guide = read?.record
  if (error) return <Failure error={error} />
  if (guideId !== null && !guide) return <Loading />
  if (isEdited) return <GuideEditor guide={read} owner={owner} onClose={() => setIsEdited(false)} />
  const edit = mayEdit(self, of) && (
    <button type="button" onClick={() => setIsEdited(true)}>
      {guide ? 'Edit the guide' : 'Write a guide'}
    </button>
  )
  if (!guide?.markdown) return <NoGuide owner={owner} edit={edit} />
  return (
    <>
      <div className="head">
        <span className="hint">
          Changed <Time value={guide.updated_date} />
        </span>
        {edit}
      </div>
      <LazyMarkdown text={guide.markdown} />
    </>
  )
}

function NoGuide({ owner, edit }: Pick<Props, 'owner'> & { edit: ReactNode }) {
  const [flag, id] = 'task_id' in owner ? ['task', owner.task_id] : ['project', owner.project_id]
  return (
    <>
      <Empty
        reticle={`reticle guide create --${flag} ${id} --markdown "$(cat guide.md)"`}
        curl={curlOf(
          '/guides',
          `-H 'Content-Type: application/json' -d '{"${flag}_id":${id},"markdown":"# How to"}'`,
        )}
      >
        There is no guide. A guide describes in Markdown what annotators draw, and how.
      </Empty>
      <p>{edit}</p>
    </>
  )
}

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
