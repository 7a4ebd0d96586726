import { ApiError } from '@reticle/sdk'
import { Failure } from '../../ui/failure.tsx'

/** Whether what was asked for is not kept any more. */
export const isGone = (error: Error | null) => error instanceof ApiError && error.status === 410

/** What went wrong with a revision; of one that is gone why, and what is left. */
export function PastFailure({ error }: { error: Error }) {
  return (
    <>
      {isGone(error) && (
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
