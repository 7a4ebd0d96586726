import type { Project } from '@reticle/sdk'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { curlOf, Empty } from '../ui/empty.tsx'
import type { Column } from '../ui/listing/column.ts'
import { Choice, Condition, Search } from '../ui/listing/filters.tsx'
import { Listing } from '../ui/listing/listing.tsx'
import { useListState } from '../ui/listing/state.ts'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'

const statuses = ['annotation', 'validation', 'completed'] as const

const columns: readonly Column<Project>[] = [
  {
    title: 'Name',
    sort: 'name',
    width: '40%',
    cell: ({ id, name }) => <Link href={`/projects/${id}`}>{name}</Link>,
  },
  { title: 'Status', sort: 'status', cell: ({ status }) => status },
  { title: 'Tasks', isExtra: true, cell: ({ tasks }) => tasks?.count },
  { title: 'Owner', sort: 'owner', isExtra: true, cell: ({ owner }) => owner?.username ?? '–' },
  {
    title: 'Updated',
    sort: 'updated_date',
    cell: ({ updated_date }) => <Time value={updated_date} />,
  },
]

/** The projects of the workspace. */
export function Projects() {
  const { get } = useListState()
  const status = statuses.find((one) => one === get('status'))
  const input = { search: get('search'), filter: get('filter'), status }
  return (
    <Page title="Projects">
      <div className="filters">
        <Search label="Search projects" />
        <Choice name="status" label="Status" values={statuses} />
        <Condition />
      </div>
      <Listing
        name="Projects"
        list={api.listProjects}
        input={input}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty
            reticle="reticle project create Streets --label car --label bus"
            curl={curlOf(
              '/projects',
              `-H 'Content-Type: application/json' -d '{"name":"Streets"}'`,
            )}
          >
            There is no project here. A project has labels, and tasks that share them.
          </Empty>
        }
      />
    </Page>
  )
}
