import { createHash } from 'node:crypto'
import { changedMeanwhile } from '@reticle/kit'
import { readIfMatch } from '@reticle/kit/call/etag'
import { hasNewerLabels, type JobState } from './job-state.ts'
import type { AnnotationTarget } from './target.ts'

export type Revisions = ReadonlyMap<number, JobState>

/**
 * Returns the entity tag of a target: `"a<job>-<revision>"`, for a task a hash over its jobs. A job without any write
 * has revision 0. When the labels are newer than the revision and the revision could not be raised yet, the tag
 * differs from all earlier and later ones.
 */
export function annotationsTag(target: AnnotationTarget, revisions: Revisions): string {
  const { kind, id, jobs, labels_revision } = target
  const revisionOf = (job: number) => {
    const state = revisions.get(job)
    if (!state) return 0
    return hasNewerLabels(target, state) ? `${state.revision}-${labels_revision}` : state.revision
  }
  if (kind === 'job') return `"a${id}-${revisionOf(id)}"`
  const hash = createHash('sha256')
  for (const job of jobs) hash.update(`${job.id}-${revisionOf(job.id)} `)
  return `"t${id}-${hash.digest('hex').slice(0, 16)}"`
}

/**
 * Checks the entity tag; to be called while the jobs are locked.
 *
 * @throws DomainError precondition `annotations_changed` with the current tag, or invalid for a malformed header
 */
export function assertUnchanged(
  if_match: string | undefined,
  target: AnnotationTarget,
  revisions: Revisions,
): void {
  const expected = readIfMatch(if_match)
  const present = annotationsTag(target, revisions)
  if (expected === 'any' || expected.includes(present)) return
  const text = 'Annotations were changed by someone else'
  throw changedMeanwhile(text, present, 'annotations_changed')
}
