import { type AnnotationRevision, ApiError, type InputOf } from '@reticle/sdk'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { readAnnotationsTag } from '../../api/tagged-record.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure, Loading } from '../../ui/feedback.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { Time } from '../../ui/values.tsx'

/** Restores a revision. The response may be large and is not needed, so it is not read. */
const restoreRevision = async (input: InputOf<'restoreJobRevision'>) => {
  const answer = await api.respond('restoreJobRevision', input)
  await answer.body?.cancel()
}

/** Reads the entity tag first, so that a change between both calls makes the restore fail. */
async function readNewest(id: number) {
  const etag = await readAnnotationsTag(id)
  const { results } = await api.listJobRevisions({ id, page_size: 1, sort: '-revision' })
  return { etag, revision: results[0] }
}

interface Props {
  revision: AnnotationRevision
  onClose: () => void
}

/**
 * Asks for confirmation before restoring a revision. The current state stays in the history, so a restore can be
 * undone.
 */
export function RestoreDialog({ revision, onClose }: Props) {
  const { job_id: id } = revision
  const { data, error } = useQuery({
    queryKey: ['newestRevisionWithTag', id],
    queryFn: () => readNewest(id),
    // The restore replaces the state that the dialog shows, so it is read once when the dialog opens.
    staleTime: 'static',
    gcTime: 0,
  })
  const newest = data?.revision
  return (
    <Dialog title={`Restore revision ${revision.revision} of job ${id}`} onClose={onClose}>
      {error && <Failure error={error} />}
      {!error && !newest && <Loading />}
      {newest && <Restore revision={revision} newest={newest} etag={data.etag} onClose={onClose} />}
    </Dialog>
  )
}

interface RestoreProps extends Props {
  newest: AnnotationRevision
  etag: string | undefined
}

function Restore({ revision, newest, etag, onClose }: RestoreProps) {
  const { job_id: id, revision: target } = revision
  const toast = useToast()
  const restore = useChange(restoreRevision)
  const submit = async () => {
    await restore.mutateAsync({ id, revision: target, if_match: etag })
    const undo = () => restore.mutateAsync({ id, revision: newest.revision })
    toast({ text: `Job ${id} was restored to revision ${target}`, undo })
    onClose()
  }
  return (
    <>
      <p>
        The annotations of job {id} are restored as they were <Time value={revision.created_date} />
        . This reverts the changes of the {newest.revision - target} later revisions. It creates a
        new revision and can be reverted too.
      </p>
      {restore.error && <RevisionFailure error={restore.error} />}
      <button
        type="button"
        className="primary"
        disabled={restore.isPending || isRevisionExpired(restore.error)}
        onClick={() => void submit().catch(() => undefined) /* shown above */}
      >
        Restore
      </button>
    </>
  )
}

/** Returns whether the requested data has been deleted. */
const isRevisionExpired = (error: Error | null) => error instanceof ApiError && error.status === 410

/** Shows an error about a revision, with an explanation when it has been deleted. */
export function RevisionFailure({ error }: { error: Error }) {
  return (
    <>
      {isRevisionExpired(error) && (
        <p>
          The annotations of this revision have been deleted. Revisions are kept for a limited time,
          and at most 1,000 for each job. Newer revisions can still be viewed and restored.
        </p>
      )}
      <Failure error={error} />
    </>
  )
}
