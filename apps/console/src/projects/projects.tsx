import type { Project } from '@reticle/sdk'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { TaskCreatorsOnly } from '../api/standing.tsx'
import { Choice, Condition, OrNoMatches, PersonFilter, Search } from '../records/filters.tsx'
import { type ListState, useListState } from '../records/list-state.ts'
import { Listing, type RecordColumn } from '../records/listing.tsx'
import { Restore } from '../requests/transfers/backups.tsx'
import { curlOf, Empty } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/values.tsx'
import { projectStatuses } from './project-status.tsx'

const columns: readonly RecordColumn<Project>[] = [
  {
    title: 'Name',
    sort: 'name',
    width: '40%',
    cell: ({ id, name }) => <Link href={`/projects/${id}`}>{name}</Link>,
  },
  { title: 'Status', sort: 'status', cell: ({ status }) => status },
  { title: 'Tasks', isExtra: true, cell: ({ tasks }) => tasks?.count },
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

export function Projects() {
  return (
    <Page
      title="Projects"
      actions={
        <TaskCreatorsOnly>
          <Restore kind="project" />
          <Link className="button" href="/tasks/new">
            New task
          </Link>
          <Link className="button primary" href="/projects/new">
            New project
          </Link>
        </TaskCreatorsOnly>
      }
    >
      <div className="filters">
        <Search label="Search projects" />
        <Choice name="status" label="Status" values={projectStatuses} />
        <PersonFilter name="assignee" label="Assignee" />
        <PersonFilter name="owner" label="Owner" />
        <Condition />
      </div>
      <Listing
        name="Projects"
        list={api.listProjects}
        input={inputOf(useListState())}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<NoProjects />}
      />
    </Page>
  )
}

function inputOf({ get }: ListState) {
  return {
    search: get('search'),
    filter: get('filter'),
    status: projectStatuses.find((one) => one === get('status')),
    assignee: get('assignee'),
    owner: get('owner'),
  }
}

function NoProjects() {
  const body = `-H 'Content-Type: application/json' -d '{"name":"Streets"}'`
  return (
    <OrNoMatches>
      <Empty
        reticle="reticle project create Streets --label car --label bus"
        curl={curlOf('/projects', body)}
      >
        There is no project here. Start with images, or create a project whose tasks share the same
        labels.
        <TaskCreatorsOnly>
          <span className="ways">
            <Link className="button primary" href="/tasks/new">
              Create a task from images
            </Link>
            <Link className="button" href="/projects/new">
              Create a project
            </Link>
          </span>
        </TaskCreatorsOnly>
      </Empty>
    </OrNoMatches>
  )
}
