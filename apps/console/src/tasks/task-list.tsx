import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { ForMakers } from '../api/for-makers.tsx'
import { Choice, Condition, Search } from '../records/filters.tsx'
import { Listing } from '../records/listing.tsx'
import { OrNoMatches } from '../records/or-no-matches.tsx'
import { PersonFilter } from '../records/person-filter.tsx'
import { ProjectFilter } from '../records/project-filter.tsx'
import { type ListState, useListState } from '../records/state.ts'
import { curlOf, Empty } from '../ui/empty.tsx'
import { taskColumns } from './columns.tsx'

const statuses = ['new', 'annotation', 'validation', 'completed'] as const
const modes = ['annotation', 'interpolation'] as const

interface Props {
  /** Limits the list to one project, in any workspace. */
  projectId?: number
}

/** Renders a table of tasks with filters. */
export function TaskList({ projectId }: Props) {
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

function NoTasks({ projectId }: Props) {
  const body = projectId ? `{"name":"Monday","project_id":${projectId}}` : '{"name":"Monday"}'
  const target = projectId ? `--project ${projectId}` : '--label car'
  return (
    <OrNoMatches>
      <Empty
        reticle={`reticle task create Monday ${target} pictures/*.jpg`}
        curl={curlOf('/tasks', `-H 'Content-Type: application/json' -d '${body}'`)}
      >
        There is no task here. A task is some pictures or a video to be annotated.
        <ForMakers>
          <span className="ways">
            <Link
              className="button primary"
              href={projectId ? `/tasks/new?project=${projectId}` : '/tasks/new'}
            >
              Make a task from pictures
            </Link>
          </span>
        </ForMakers>
      </Empty>
    </OrNoMatches>
  )
}
