import type { AnnotationRevision } from '@reticle/sdk'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { curlOf, Loading } from '../../ui/feedback.tsx'
import {
  changeKinds,
  changesOf,
  changesOfFirst,
  countOf,
  type ObjectChange,
  typeOf,
} from './changes.ts'
import { RevisionFailure } from './restore-dialog.tsx'

interface Props {
  task: number
  revision: AnnotationRevision
  onClose: () => void
}

/** Renders a dialog with the changes of a revision: counts by kind, and the objects. */
export function ChangesDialog({ task, revision, onClose }: Props) {
  const title = `Revision ${revision.revision} of job ${revision.job_id}`
  return (
    <Dialog title={title} onClose={onClose}>
      {isTooMany(revision) ? (
        <TooMany revision={revision} />
      ) : (
        <Changed task={task} revision={revision} />
      )}
    </Dialog>
  )
}

function Changed({ task, revision }: Omit<Props, 'onClose'>) {
  const { changes, error } = useChanges(revision)
  if (error) return <RevisionFailure error={error} />
  if (!changes) return <Loading />
  return (
    <>
      <ChangeCounts changes={changes} />
      <ChangeList task={task} job={revision.job_id} changes={changes} />
    </>
  )
}

function TooMany({ revision: { job_id, revision } }: { revision: AnnotationRevision }) {
  const path = `/jobs/${job_id}/annotations/diff?from=${revision - 1}&to=${revision}`
  return (
    <>
      <p>
        This revision changed more than {mostChanges.toLocaleString()} objects. Read them with a
        script:
      </p>
      <pre>
        <code>{curlOf(path)}</code>
      </pre>
    </>
  )
}

const changeActions = ['created', 'updated', 'deleted'] as const

function ChangeCounts({ changes }: { changes: readonly ObjectChange[] }) {
  return (
    <table className="counts" aria-label="Changes by kind">
      <thead>
        <tr>
          <th scope="col">Kind</th>
          {changeActions.map((action) => (
            <th key={action} scope="col">
              {action}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {changeKinds.map((kind) => (
          <tr key={kind}>
            <th scope="row">{kind}</th>
            {changeActions.map((action) => (
              <td key={action}>{countOf(changes, kind, action).toLocaleString()}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface ChangeListProps {
  task: number
  job: number
  changes: readonly ObjectChange[]
}

/** Maximum number of listed objects. */
const shown = 300

function ChangeList({ task, job, changes }: ChangeListProps) {
  const { data } = useAnswer(api.listLabels, { job_id: job, page_size: 500 })
  const names = new Map(data?.results.map(({ id, name }) => [id, name]))
  if (changes.length === 0) return <p>There are no differences from the previous revision.</p>
  return (
    <>
      <ul className="changes">
        {changes.slice(0, shown).map((change) => {
          const { action, object, members } = change
          const { id, frame, label_id } = object
          return (
            <li key={`${action} ${change.kind} ${id}`}>
              <span className={`did ${action}`}>{action}</span> {typeOf(change)}{' '}
              <strong>{names.get(label_id) ?? `label ${label_id}`}</strong> on{' '}
              <Link href={`/tasks/${task}/frames/${frame}`}>frame {frame}</Link>
              {members.length > 0 && <span className="hint">: {members.join(', ')}</span>}
            </li>
          )
        })}
      </ul>
      {changes.length > shown && (
        <p className="hint">and {(changes.length - shown).toLocaleString()} more</p>
      )}
    </>
  )
}

/** Maximum number of changed objects to load: a diff is sent as a whole, and an import may have created a million. */
const mostChanges = 20_000

function isTooMany({ counts }: AnnotationRevision): boolean {
  return counts.created + counts.updated + counts.deleted > mostChanges
}

/** Loads the changes of a revision; the first revision of a job has none before it to compare with. */
function useChanges(revision: AnnotationRevision): {
  changes: readonly ObjectChange[] | undefined
  error: Error | null
} {
  const { job_id: id, revision: to } = revision
  const isFirst = to === 1
  const enabled = !isTooMany(revision)
  const between = { id, from: to - 1, to }
  const diff = useAnswer(api.getJobAnnotationsDiff, between, { enabled: enabled && !isFirst })
  const first = useAnswer(api.getJobRevision, { id, revision: to }, { enabled: enabled && isFirst })
  return {
    changes: diff.data ? changesOf(diff.data) : first.data && changesOfFirst(first.data),
    error: diff.error ?? first.error,
  }
}
