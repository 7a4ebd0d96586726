import type { Task } from '@reticle/sdk'
import { Facts } from '../ui/facts.tsx'
import { personName } from '../ui/person-name.ts'
import { Time } from '../ui/time.tsx'

/** Shows the properties of a task. */
export function TaskFacts({ task }: { task: Task }) {
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
