import type { AnnotationRevision, Job, Task } from '@reticle/sdk'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import type { RecordColumn } from '../../records/column.ts'
import { Choice } from '../../records/filters.tsx'
import { Listing } from '../../records/listing.tsx'
import { useListState } from '../../records/state.ts'
import { curlOf, Empty } from '../../ui/empty.tsx'
import { personName } from '../../ui/person-name.ts'
import { Time } from '../../ui/time.tsx'
import { Counts } from './counts.tsx'
import './history.css'
import { RevisionActions } from './revision-actions.tsx'

const actions = [
  ...(['create', 'update', 'delete', 'replace', 'import', 'restore', 'label_change'] as const),
] as const

const columnsOf = (task: number): readonly RecordColumn<AnnotationRevision>[] => [
  {
    title: 'When',
    sort: 'created_date',
    cell: ({ created_date }) => <Time value={created_date} />,
  },
  { title: 'Who', isExtra: true, cell: ({ author }) => (author ? personName(author) : '–') },
  {
    title: 'Job',
    isExtra: true,
    width: '5rem',
    cell: ({ job_id }) => <Link href={`/jobs/${job_id}`}>{job_id}</Link>,
  },
  { title: 'Revision', isExtra: true, width: '6rem', cell: ({ revision }) => revision },
  { title: 'What', isExtra: true, width: '7rem', cell: ({ action }) => action.replace('_', ' ') },
  { title: 'Objects', cell: ({ counts }) => <Counts counts={counts} /> },
  {
    title: 'More',
    width: '10rem',
    cell: (revision) => <RevisionActions task={task} revision={revision} />,
  },
]

const keyOf = ({ job_id, revision }: AnnotationRevision) => `${job_id} ${revision}`

/** Lists the revisions of all jobs of a task, newest first. */
export function HistoryOfTask({ task: { id } }: { task: Task }) {
  const path = `/tasks/${id}/annotations/revisions`
  return <History id={id} task={id} list={api.listTaskRevisions} path={path} />
}

/** Lists the revisions of a job, newest first. */
export function HistoryOfJob({ job: { id, task_id } }: { job: Job }) {
  const path = `/jobs/${id}/annotations/revisions`
  return <History id={id} task={task_id} list={api.listJobRevisions} path={path} />
}

interface Props {
  id: number
  task: number
  list: typeof api.listTaskRevisions | typeof api.listJobRevisions
  path: string
}

function History({ id, task, list, path }: Props) {
  const { get } = useListState()
  const action = actions.find((one) => one === get('action'))
  return (
    <>
      <div className="filters">
        <Choice name="action" label="What" values={actions} />
      </div>
      <Listing
        name="History"
        list={list}
        input={{ id, action }}
        isScoped={false}
        columns={columnsOf(task)}
        keyOf={keyOf}
        empty={
          <Empty curl={curlOf(path)}>
            No change of annotations is known here. Each that is saved or imported becomes a
            revision, which can be looked at and restored.
          </Empty>
        }
      />
    </>
  )
}
