import type { Job } from '@reticle/sdk'
import { useJobChange } from './job-change.ts'

const choices = {
  stage: ['annotation', 'validation', 'acceptance'],
  state: ['new', 'in progress', 'completed', 'rejected'],
} as const

interface Props {
  job: Job
  field: keyof typeof choices
}

/** Shows the stage or state of a job, with a way to change it. */
export function JobChoice({ job, field }: Props) {
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
