import { createHash } from 'node:crypto'
import { changedMeanwhile } from '@reticle/kit'
import { readIfMatch } from '@reticle/kit/etag'
import { hasNewerLabels, type JobState } from './job-state.ts'
import type { Target } from './target.ts'

export type Revisions = ReadonlyMap<number, JobState>

/**
 * The entity tag of a target's annotations: `"a<job>-<revision>"`, of a task a hash of what its jobs have
 * (`spec/api-annotations.md` 1.12). A job that was never written has revision 0. Where the labels are newer than the
 * revision and nobody could raise it yet, the tag is like none before or after.
 */
export function annotationsTag(target: Target, revisions: Revisions): string {
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
 * To be called under the locks of the jobs.
 *
 * @throws DomainError precondition `annotations_changed` with the present tag, or invalid for a header that is none
 */
export function assertUnchanged(
  if_match: string | undefined,
  target: Target,
  revisions: Revisions,
): void {
  const wanted = readIfMatch(if_match)
  const present = annotationsTag(target, revisions)
  if (wanted === 'any' || wanted.includes(present)) return
  const text = 'Annotations were changed by someone else'
  throw changedMeanwhile(text, present, 'annotations_changed')
}
