import type { Task } from '@reticle/sdk'
import type { ComponentType } from 'react'
import { Link, Redirect, useParams } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { JobsOfTask } from '../jobs/jobs-of-task.tsx'
import { framesOfTask } from '../panels/frames/frame-sequence.ts'
import { Frames } from '../panels/frames/frames.tsx'
import { GuideOfTask } from '../panels/guide/guide.tsx'
import { HistoryOfTask } from '../panels/history/history.tsx'
import { IssuesOfTask } from '../panels/issues/issues.tsx'
import { Statistics } from '../panels/statistics/statistics.tsx'
import { RecordActions } from '../records/record-actions.tsx'
import { entryTexts } from '../requests/report-rows.ts'
import { requestPath } from '../requests/request-text.ts'
import { Transfers } from '../requests/transfers/transfers.tsx'
import { Failure, Loading } from '../ui/feedback.tsx'
import { Page, Tabs } from '../ui/page.tsx'
import { Facts, personName, Time } from '../ui/values.tsx'
import './task-page.css'

const tabs: Record<string, { name: string; Content: ComponentType<{ task: Task }> }> = {
  '': { name: 'Frames', Content: ({ task }) => <Frames frames={framesOfTask(task)} hasSearch /> },
  jobs: { name: 'Jobs', Content: JobsOfTask },
  history: { name: 'History', Content: HistoryOfTask },
  statistics: { name: 'Statistics', Content: ({ task }) => <Statistics of="task" id={task.id} /> },
  issues: { name: 'Issues', Content: IssuesOfTask },
  guide: { name: 'Guide', Content: GuideOfTask },
}

export function TaskPage() {
  const { id, tab = '' } = useParams<{ id: string; tab?: string }>()
  const { data: task, error, refetch } = useAnswer(api.getTask, { id: Number(id) })
  const shown = tabs[tab]
  if (!shown) return <Redirect to={`/tasks/${id}`} replace />
  if (error)
    return (
      <main>
        <Failure error={error} onRetry={() => void refetch()} />
      </main>
    )
  if (!task) return <Loading />
  return (
    <Page title={task.name} above={<Above task={task} />} actions={<TaskActions task={task} />}>
      <TaskFacts task={task} />
      <CreationReport task={task} />
      <Tabs
        label="Task"
        base={`/tasks/${id}`}
        tabs={Object.entries(tabs).map(([path, { name }]) => [path, name] as const)}
      />
      <shown.Content task={task} />
    </Page>
  )
}

function Above({ task: { id, project_id, project_name } }: { task: Task }) {
  if (project_id === null) return <>Task {id}</>
  return (
    <>
      <Link href={`/projects/${project_id}`}>{project_name ?? `Project ${project_id}`}</Link> › Task{' '}
      {id}
    </>
  )
}

function TaskFacts({ task }: { task: Task }) {
  const { status, size, mode, subset, jobs, owner, assignee, updated_date } = task
  return (
    <Facts
      facts={{
        Status: status,
        Frames: size.toLocaleString(),
        Jobs: `${jobs.completed} of ${jobs.count} completed`,
        Labels: task.labels.length,
        ...(mode && { Media: mode === 'interpolation' ? 'video' : 'images' }),
        ...(subset && { Subset: subset }),
        Owner: owner ? personName(owner) : '–',
        Assignee: assignee ? personName(assignee) : '–',
        Updated: <Time value={updated_date} />,
      }}
    />
  )
}

function TaskActions({ task: { id, name, size } }: { task: Task }) {
  return (
    <>
      {size === 0 ? (
        <Link className="button primary" href={`/tasks/new?task=${id}`}>
          Upload files
        </Link>
      ) : (
        <Transfers kind="task" id={id} name={name} />
      )}
      <RecordActions
        what="task"
        name={name}
        list="/tasks"
        rename={(newName) => api.updateTask({ id, body: { name: newName } })}
        remove={() => api.deleteTask({ id })}
      >
        <p>Its frames, jobs and annotations are deleted as well. This cannot be undone.</p>
      </RecordActions>
    </>
  )
}

/**
 * Shows the files that did not become frames, with reasons, or the reason of a failed creation. Only the creator of
 * the task can see it, while the request is kept.
 */
function CreationReport({ task: { id, size } }: { task: Task }) {
  const { data } = useAnswer(api.listRequests, { action: 'create', task_id: id, page_size: 1 })
  const request = data?.results[0]
  if (!request) return null
  const isFailed = request.status === 'failed' && size === 0
  const texts = isFailed ? [request.message] : request.report ? entryTexts(request.report) : []
  if (texts.length === 0) return null
  return (
    <section className="creation-report" aria-label="Creation report" data-failed={isFailed}>
      <p>
        {isFailed
          ? 'No frames could be created from the files.'
          : 'Some files were skipped or converted.'}{' '}
        <Link href={requestPath(request.id)}>See the request</Link>
      </p>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  )
}
