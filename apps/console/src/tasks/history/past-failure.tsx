import { ApiError } from '@reticle/sdk'
import { Failure } from '../../ui/failure.tsx'

/** What went wrong with a revision; of one that is gone why, and what is left. */
export function PastFailure({ error }: { error: Error }) {
  const isGone = error instanceof ApiError && error.status === 410
  return (
    <>
      {isGone && (
        <p>
          This revision is listed, but what it was is not kept any more: annotations of the past are
          kept for a while, and of a job the newest thousand revisions. Newer ones can still be
          looked at and restored.
        </p>
      )}
      <Failure error={error} />
    </>
  )
}
