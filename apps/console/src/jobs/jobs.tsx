import type { Job } from '@reticle/sdk'
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
import { curlOf, Empty } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/values.tsx'

const stages = ['annotation', 'validation', 'acceptance'] as const
const states = ['new', 'in progress', 'completed', 'rejected'] as const
const types = ['annotation', 'ground_truth', 'consensus_replica'] as const

const columns: readonly RecordColumn<Job>[] = [
  { title: 'Job', sort: 'id', width: '6rem', cell: ({ id }) => <JobLink id={id} /> },
  {
    title: 'Task',
    sort: 'task_name',
    width: '24%',
    cell: ({ task_id, task_name }) => <Link href={`/tasks/${task_id}`}>{task_name}</Link>,
  },
  {
    title: 'Project',
    sort: 'project_name',
    isExtra: true,
    cell: ({ project_id, project_name }) =>
      project_id ? <Link href={`/projects/${project_id}`}>{project_name}</Link> : '–',
  },
  { title: 'Stage', sort: 'stage', isExtra: true, cell: ({ stage }) => stage },
  { title: 'State', sort: 'state', cell: ({ state }) => state },
  {
    title: 'Assignee',
    sort: 'assignee',
    isExtra: true,
    cell: ({ assignee }) => assignee?.username ?? '–',
  },
  { title: 'Frames', isExtra: true, width: '6rem', cell: ({ frame_count }) => frame_count },
  {
    title: 'Updated',
    sort: 'updated_date',
    cell: ({ updated_date }) => <Time value={updated_date} />,
  },
]

const JobLink = ({ id }: { id: number }) => <Link href={`/jobs/${id}`}>#{id}</Link>

export function Jobs() {
  return (
    <Page title="Jobs">
      <div className="filters">
        <Search label="Search jobs" />
        <Choice name="stage" label="Stage" values={stages} />
        <Choice name="state" label="State" values={states} />
        <ProjectFilter />
        <PersonFilter name="assignee" label="Assignee" />
        <Choice name="type" label="Type" values={types} />
        <Condition />
      </div>
      <Listing
        name="Jobs"
        list={api.listJobs}
        input={inputOf(useListState())}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<NoJobs />}
      />
    </Page>
  )
}

function inputOf({ get }: ListState) {
  const taskId = get('task_id')
  return {
    search: get('search'),
    filter: get('filter'),
    stage: stages.find((one) => one === get('stage')),
    state: states.find((one) => one === get('state')),
    type: types.find((one) => one === get('type')),
    assignee: get('assignee'),
    project_name: get('project_name'),
    ...(taskId && { task_id: Number(taskId) }),
  }
}

function NoJobs() {
  return (
    <OrNoMatches>
      <Empty reticle="reticle job list" curl={curlOf('/jobs')}>
        There is no job here. A task is divided into jobs when its files are uploaded.
        <TaskCreatorsOnly>
          <span className="ways">
            <Link className="button primary" href="/tasks/new">
              Create a task from images
            </Link>
          </span>
        </TaskCreatorsOnly>
      </Empty>
    </OrNoMatches>
  )
}
