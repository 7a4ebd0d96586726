import type { Job } from '@reticle/sdk'
import type { ComponentType } from 'react'
import { Link, Redirect, useParams } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { framesOfJob } from '../panels/frames/frame-sequence.ts'
import { Frames } from '../panels/frames/frames.tsx'
import { HistoryOfJob } from '../panels/history/history.tsx'
import { IssuesOfJob } from '../panels/issues/issues.tsx'
import { Statistics } from '../panels/statistics/statistics.tsx'
import { Transfers } from '../requests/transfers/transfers.tsx'
import { Failure, Loading } from '../ui/feedback.tsx'
import { Page, Tabs } from '../ui/page.tsx'
import { Facts, Time } from '../ui/values.tsx'
import { JobAssignee, JobChoice } from './job-fields.tsx'
import { framesText, isWhole } from './job-frames.ts'
import './jobs.css'

const tabs: Record<string, { name: string; Content: ComponentType<{ job: Job }> }> = {
  '': { name: 'Frames', Content: FramesOfJob },
  history: { name: 'History', Content: ({ job }) => <HistoryOfJob job={job} /> },
  statistics: { name: 'Statistics', Content: ({ job }) => <Statistics of="job" id={job.id} /> },
  issues: { name: 'Issues', Content: ({ job }) => <IssuesOfJob job={job} /> },
}

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

/** Shows the properties of a job; stage, state and assignee can be changed. */
function JobFacts({ job }: { job: Job }) {
  return (
    <Facts
      facts={{
        Stage: <JobChoice job={job} field="stage" />,
        State: <JobChoice job={job} field="state" />,
        Assignee: <JobAssignee job={job} />,
        Frames: framesText(job),
        Type: job.type.replace('_', ' '),
        Issues: job.issues.count,
        Updated: <Time value={job.updated_date} />,
      }}
    />
  )
}

/** Shows the frames of a job. The frames of a ground-truth job are listed only in its meta data. */
function FramesOfJob({ job }: { job: Job }) {
  const isChosen = !isWhole(job) && job.frame_count > 0
  const { data: meta, error } = useAnswer(api.getJobDataMeta, { id: job.id }, { enabled: isChosen })
  if (error) return <Failure error={error} />
  if (isChosen && !meta) return <Loading />
  return <Frames frames={framesOfJob(job, meta)} />
}
