import type { AnnotationRevision, Job, Task } from '@reticle/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { Choice } from '../../records/filters.tsx'
import { useListState } from '../../records/list-state.ts'
import { Listing, type RecordColumn } from '../../records/listing.tsx'
import { curlOf, Empty } from '../../ui/feedback.tsx'
import { personName, Time } from '../../ui/values.tsx'
import { ChangesDialog } from './changes-dialog.tsx'
import { RestoreDialog } from './restore-dialog.tsx'
import './history.css'

const actions = [
  'create',
  'update',
  'delete',
  'replace',
  'import',
  'restore',
  'label_change',
] as const

const columnsOf = (task: number): readonly RecordColumn<AnnotationRevision>[] => [
  {
    title: 'When',
    sort: 'created_date',
    cell: ({ created_date }) => <Time value={created_date} />,
  },
  { title: 'User', isExtra: true, cell: ({ author }) => (author ? personName(author) : '–') },
  {
    title: 'Job',
    isExtra: true,
    width: '5rem',
    cell: ({ job_id }) => <Link href={`/jobs/${job_id}`}>{job_id}</Link>,
  },
  { title: 'Revision', isExtra: true, width: '6rem', cell: ({ revision }) => revision },
  { title: 'Action', isExtra: true, width: '7rem', cell: ({ action }) => action.replace('_', ' ') },
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
        <Choice name="action" label="Action" values={actions} />
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
            There are no revisions here. Each saved or imported change creates a revision that can
            be viewed and restored.
          </Empty>
        }
      />
    </>
  )
}

interface RevisionActionsProps {
  task: number
  revision: AnnotationRevision
}

function RevisionActions({ task, revision }: RevisionActionsProps) {
  const [open, setOpen] = useState<'changes' | 'restore'>()
  const close = () => setOpen(undefined)
  const name = `revision ${revision.revision} of job ${revision.job_id}`
  return (
    <>
      <button
        type="button"
        className="plain link"
        aria-label={`Changes of ${name}`}
        onClick={() => setOpen('changes')}
      >
        Changes
      </button>{' '}
      {revision.readable ? (
        <button
          type="button"
          className="plain link"
          aria-label={`Restore ${name}`}
          onClick={() => setOpen('restore')}
        >
          Restore
        </button>
      ) : (
        <span className="hint">expired</span>
      )}
      {open === 'changes' && <ChangesDialog task={task} revision={revision} onClose={close} />}
      {open === 'restore' && <RestoreDialog revision={revision} onClose={close} />}
    </>
  )
}

const signs = [
  ['created', '+'],
  ['updated', '~'],
  ['deleted', '−'],
] as const

/** Shows the numbers of created, updated and deleted objects: `+3 ~1 −2`. */
function Counts({ counts }: Pick<AnnotationRevision, 'counts'>) {
  return (
    <>
      {signs.map(
        ([action, sign]) =>
          counts[action] > 0 && (
            <span key={action} className={`did ${action}`}>
              <span aria-hidden="true">{sign}</span>
              {counts[action].toLocaleString()}
              <span className="hidden"> {action}</span>{' '}
            </span>
          ),
      )}
      {signs.every(([action]) => counts[action] === 0) && 'nothing'}
    </>
  )
}
