import type { Task } from '@reticle/sdk'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { TaskCreatorsOnly } from '../api/standing.tsx'
import {
  Choice,
  Condition,
  OrNoMatches,
  PersonFilter,
  ProjectFilter,
  Search,
} from '../records/filters.tsx'
import { type ListState, useListState } from '../records/list-state.ts'
import { Listing, type RecordColumn } from '../records/listing.tsx'
import { Restore } from '../requests/transfers/backups.tsx'
import { curlOf, Empty } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/values.tsx'

export function Tasks() {
  return (
    <Page
      title="Tasks"
      actions={
        <TaskCreatorsOnly>
          <Restore kind="task" />
          <Link className="button primary" href="/tasks/new">
            New task
          </Link>
        </TaskCreatorsOnly>
      }
    >
      <TaskList />
    </Page>
  )
}

const statuses = ['new', 'annotation', 'validation', 'completed'] as const
const modes = ['annotation', 'interpolation'] as const

interface TaskListProps {
  /** Limits the list to one project, in any workspace. */
  projectId?: number
}

export function TaskList({ projectId }: TaskListProps) {
  const state = useListState()
  const isWithinProject = projectId !== undefined
  return (
    <>
      <div className="filters">
        <Search label="Search tasks" />
        <Choice name="status" label="Status" values={statuses} />
        {!isWithinProject && <ProjectFilter />}
        <PersonFilter name="assignee" label="Assignee" />
        <PersonFilter name="owner" label="Owner" />
        <Choice name="mode" label="Mode" values={modes} />
        <Condition />
      </div>
      <Listing
        name="Tasks"
        list={api.listTasks}
        input={inputOf(state, projectId)}
        isScoped={!isWithinProject}
        columns={taskColumns(isWithinProject)}
        keyOf={({ id }) => id}
        empty={<NoTasks projectId={projectId} />}
      />
    </>
  )
}

function inputOf({ get }: ListState, projectId: number | undefined) {
  const word = <W extends string>(name: string, words: readonly W[]) =>
    words.find((one) => one === get(name))
  return {
    search: get('search'),
    filter: get('filter'),
    status: word('status', statuses),
    mode: word('mode', modes),
    assignee: get('assignee'),
    owner: get('owner'),
    subset: get('subset'),
    ...(projectId ? { project_id: projectId } : { project_name: get('project_name') }),
  }
}

function NoTasks({ projectId }: TaskListProps) {
  const body = projectId ? `{"name":"Monday","project_id":${projectId}}` : '{"name":"Monday"}'
  const target = projectId ? `--project ${projectId}` : '--label car'
  return (
    <OrNoMatches>
      <Empty
        reticle={`reticle task create Monday ${target} pictures/*.jpg`}
        curl={curlOf('/tasks', `-H 'Content-Type: application/json' -d '${body}'`)}
      >
        There is no task here. A task contains images or a video to annotate.
        <TaskCreatorsOnly>
          <span className="ways">
            <Link
              className="button primary"
              href={projectId ? `/tasks/new?project=${projectId}` : '/tasks/new'}
            >
              Create a task from images
            </Link>
          </span>
        </TaskCreatorsOnly>
      </Empty>
    </OrNoMatches>
  )
}

/** Returns the columns of a task table; within a project the project column is left out. */
function taskColumns(isWithinProject: boolean): readonly RecordColumn<Task>[] {
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
