import { ApiError } from '@reticle/sdk'
import { Failure } from '../../ui/failure.tsx'

/** Returns whether the requested data is no longer kept. */
export const isRevisionExpired = (error: Error | null) =>
  error instanceof ApiError && error.status === 410

/** Shows an error about a revision, with an explanation when it is no longer kept. */
export function PastFailure({ error }: { error: Error }) {
  return (
    <>
      {isRevisionExpired(error) && (
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
