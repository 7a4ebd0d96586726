import type { Task } from '@reticle/sdk'
import { Link } from 'wouter'
import type { RecordColumn } from '../records/column.ts'
import { Time } from '../ui/time.tsx'

/** Returns the columns of a task table; within a project the project column is left out. */
export function taskColumns(isWithinProject: boolean): readonly RecordColumn<Task>[] {
  return isWithinProject ? [name, ...rest] : [name, project, ...rest]
}

const name: RecordColumn<Task> = {
  title: 'Name',
  sort: 'name',
  width: '28%',
  cell: ({ id, name }) => <Link href={`/tasks/${id}`}>{name}</Link>,
}

const project: RecordColumn<Task> = {
  title: 'Project',
  sort: 'project_name',
  isExtra: true,
  cell: ({ project_id, project_name }) =>
    project_id ? <Link href={`/projects/${project_id}`}>{project_name}</Link> : '–',
}

const rest: readonly RecordColumn<Task>[] = [
  { title: 'Status', sort: 'status', cell: ({ status }) => status },
  { title: 'Frames', isExtra: true, width: '6rem', cell: ({ size }) => size },
  {
    title: 'Jobs done',
    isExtra: true,
    width: '6rem',
    cell: ({ jobs: { completed, count } }) => `${completed} of ${count}`,
  },
  {
    title: 'Assignee',
    sort: 'assignee',
    isExtra: true,
    cell: ({ assignee }) => assignee?.username ?? '–',
  },
  { title: 'Owner', sort: 'owner', isExtra: true, cell: ({ owner }) => owner?.username ?? '–' },
  {
    title: 'Updated',
    sort: 'updated_date',
    cell: ({ updated_date }) => <Time value={updated_date} />,
  },
]
