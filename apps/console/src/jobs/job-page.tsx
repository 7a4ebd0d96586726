import type { Job } from '@reticle/sdk'
import type { ComponentType } from 'react'
import { Link, Redirect, useParams } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { HistoryOfJob } from '../panels/history/history.tsx'
import { IssuesOfJob } from '../panels/issues/issues.tsx'
import { Statistics } from '../panels/statistics/statistics.tsx'
import { Transfers } from '../requests/transfers/transfers.tsx'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { FramesOfJob } from './frames-of-job.tsx'
import { JobFacts } from './job-facts.tsx'

const tabs: Record<string, { name: string; Content: ComponentType<{ job: Job }> }> = {
  '': { name: 'Frames', Content: FramesOfJob },
  history: { name: 'History', Content: ({ job }) => <HistoryOfJob job={job} /> },
  statistics: { name: 'Statistics', Content: ({ job }) => <Statistics of="job" id={job.id} /> },
  issues: { name: 'Issues', Content: ({ job }) => <IssuesOfJob job={job} /> },
}

/** Renders the page of a job: frames, history, statistics and issues. */
export function JobPage() {
  const { id, tab = '' } = useParams<{ id: string; tab?: string }>()
  const { data: job, error, refetch } = useAnswer(api.getJob, { id: Number(id) })
  const shown = tabs[tab]
  if (!shown) return <Redirect to={`/jobs/${id}`} replace />
  if (error)
    return (
      <main>
        <Failure error={error} onRetry={() => void refetch()} />
      </main>
    )
  if (!job) return <Loading />
  return (
    <Page
      title={`Job ${job.id}`}
      above={<Link href={`/tasks/${job.task_id}`}>{job.task_name ?? `Task ${job.task_id}`}</Link>}
      actions={
        <>
          <Link className="button" href={`/jobs/${job.id}/frames/${job.start_frame}`}>
            Open the viewer
          </Link>
          <Transfers kind="job" id={job.id} name={`job ${job.id}`} />
        </>
      }
    >
      <JobFacts job={job} />
      <Tabs
        label="Job"
        base={`/jobs/${id}`}
        tabs={Object.entries(tabs).map(([path, { name }]) => [path, name] as const)}
      />
      <shown.Content job={job} />
    </Page>
  )
}
