import type { Job, Task } from '@reticle/sdk'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { Listing, type RecordColumn } from '../records/listing.tsx'
import { curlOf, Empty } from '../ui/feedback.tsx'
import { Time } from '../ui/values.tsx'
import { JobAssignee, JobChoice } from './job-fields.tsx'
import { framesText } from './job-frames.ts'
import './jobs.css'

const columns: readonly RecordColumn<Job>[] = [
  {
    title: 'Job',
    sort: 'id',
    width: '4rem',
    cell: ({ id }) => <Link href={`/jobs/${id}`}>{id}</Link>,
  },
  {
    title: 'Frames',
    width: '9rem',
    isExtra: true,
    cell: (job) => (
      <Link href={`/tasks/${job.task_id}/frames/${job.start_frame}`}>{framesText(job)}</Link>
    ),
  },
  { title: 'Type', isExtra: true, cell: ({ type }) => type.replace('_', ' ') },
  { title: 'Stage', sort: 'stage', cell: (job) => <JobChoice job={job} field="stage" /> },
  { title: 'State', sort: 'state', cell: (job) => <JobChoice job={job} field="state" /> },
  { title: 'Assignee', sort: 'assignee', cell: (job) => <JobAssignee job={job} /> },
  {
    title: 'Updated',
    sort: 'updated_date',
    isExtra: true,
    cell: ({ updated_date }) => <Time value={updated_date} />,
  },
]

/** Lists the jobs of a task; stage, state and assignee can be changed in the table. */
export function JobsOfTask({ task: { id } }: { task: Task }) {
  return (
    <Listing
      name="Jobs"
      list={api.listJobs}
      input={{ task_id: id }}
      isScoped={false}
      columns={columns}
      keyOf={(job) => job.id}
      empty={
        <Empty reticle={`reticle job list --task ${id}`} curl={curlOf(`/jobs?task_id=${id}`)}>
          There are no jobs yet. Jobs are created when files are uploaded to the task.
        </Empty>
      }
    />
  )
}
