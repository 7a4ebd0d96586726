import type { BasicUser, Job, JobPatch } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import { PersonPicker } from '../records/person-picker.tsx'
import { errorText } from '../ui/feedback.tsx'
import { useToast } from '../ui/toasts.tsx'

export function JobAssignee({ job }: { job: Job }) {
  const change = useJobChange()
  const choose = (person: BasicUser | null) =>
    change(job, {
      body: { assignee: person?.id ?? null },
      before: { assignee: job.assignee?.id ?? null },
      text: person
        ? `Job ${job.id} was assigned to ${person.username}`
        : `Job ${job.id} was unassigned`,
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

const choices = {
  stage: ['annotation', 'validation', 'acceptance'],
  state: ['new', 'in progress', 'completed', 'rejected'],
} as const

interface JobChoiceProps {
  job: Job
  field: keyof typeof choices
}

export function JobChoice({ job, field }: JobChoiceProps) {
  const change = useJobChange()
  const choose = (value: string) =>
    change(job, {
      body: { [field]: value },
      before: { [field]: job[field] },
      text: `The ${field} of job ${job.id} is “${value}”`,
    })
  return (
    <select
      className="cell"
      aria-label={`${field} of job ${job.id}`}
      value={job[field]}
      onChange={({ target }) => choose(target.value)}
    >
      {choices[field].map((value) => (
        <option key={value}>{value}</option>
      ))}
    </select>
  )
}

interface Change {
  body: JobPatch
  /** Patch that undoes the change. */
  before: JobPatch
  /** Text of the notification: `Job 31 is completed`. */
  text: string
}

/** Changes a job and shows a notification with an undo button. */
function useJobChange(): (job: Job, change: Change) => void {
  const toast = useToast()
  const { mutateAsync } = useChange(api.updateJob)
  return ({ id }, { body, before, text }) => {
    const undo = () => mutateAsync({ id, body: before })
    mutateAsync({ id, body }).then(
      () => toast({ text, undo }),
      (error: unknown) => toast({ text: `Job ${id} was not changed: ${errorText(error)}` }),
    )
  }
}
