import type { AnnotationRevision } from '@reticle/sdk'
import { Dialog } from '../../ui/dialog.tsx'
import { curlOf } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { ChangeCounts } from './change-counts.tsx'
import { ChangeList } from './change-list.tsx'
import { PastFailure } from './past-failure.tsx'
import { isTooMany, mostChanges, useChanges } from './use-changes.ts'

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
  if (error) return <PastFailure error={error} />
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
      <p>It changed more than {mostChanges.toLocaleString()} objects. A script can read them:</p>
      <pre>
        <code>{curlOf(path)}</code>
      </pre>
    </>
  )
}
