import type { AnnotationRevision } from '@reticle/sdk'
import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { changesOf, changesOfFirst, type ObjectChange } from './changes.ts'

/** Maximum number of changed objects to load: a diff is sent as a whole, and an import may have created a million. */
export const mostChanges = 20_000

/** Returns whether a revision has too many changes to load. */
export function isTooMany({ counts }: AnnotationRevision): boolean {
  return counts.created + counts.updated + counts.deleted > mostChanges
}

/** Loads the changes of a revision; the first revision of a job has none before it to compare with. */
export function useChanges(revision: AnnotationRevision): {
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
