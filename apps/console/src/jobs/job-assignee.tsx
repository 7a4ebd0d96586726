import type { BasicUser, Job } from '@reticle/sdk'
import { PersonPicker } from '../records/person-picker.tsx'
import { useJobChange } from './job-change.ts'

/** Shows the assignee of a job, with a way to change it. */
export function JobAssignee({ job }: { job: Job }) {
  const change = useJobChange()
  const choose = (person: BasicUser | null) =>
    change(job, {
      body: { assignee: person?.id ?? null },
      before: { assignee: job.assignee?.id ?? null },
      text: person
        ? `Job ${job.id} is given to ${person.username}`
        : `Job ${job.id} is given to nobody`,
    })
  return (
    <PersonPicker
      label={`Assignee of job ${job.id}`}
      value={job.assignee}
      organization={job.organization}
      onChoose={choose}
    />
  )
}
