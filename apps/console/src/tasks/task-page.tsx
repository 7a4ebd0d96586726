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
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { CreationReport } from './creation-report.tsx'
import { TaskActions } from './task-actions.tsx'
import { TaskFacts } from './task-facts.tsx'

const tabs: Record<string, { name: string; Content: ComponentType<{ task: Task }> }> = {
  '': { name: 'Frames', Content: ({ task }) => <Frames frames={framesOfTask(task)} hasSearch /> },
  jobs: { name: 'Jobs', Content: JobsOfTask },
  history: { name: 'History', Content: HistoryOfTask },
  statistics: { name: 'Statistics', Content: ({ task }) => <Statistics of="task" id={task.id} /> },
  issues: { name: 'Issues', Content: IssuesOfTask },
  guide: { name: 'Guide', Content: GuideOfTask },
}

/** Renders the page of a task, with tabs for its parts. */
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
