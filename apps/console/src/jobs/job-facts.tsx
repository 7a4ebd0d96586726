import type { Job } from '@reticle/sdk'
import { Facts } from '../ui/facts.tsx'
import { Time } from '../ui/time.tsx'
import { JobAssignee } from './job-assignee.tsx'
import { JobChoice } from './job-choice.tsx'
import { framesText } from './job-frames.ts'
import './jobs.css'

/** Shows the properties of a job; stage, state and assignee can be changed. */
export function JobFacts({ job }: { job: Job }) {
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
