import { createHash } from 'node:crypto'
import { changedMeanwhile } from '@reticle/kit'
import { readIfMatch } from '@reticle/kit/etag'
import type { Target } from './target.ts'

export type Revisions = ReadonlyMap<number, { revision: number }>

/**
 * The entity tag of a target's annotations: `"a<job>-<revision>"`, of a task a hash of what its jobs have
 * (`spec/api-annotations.md` 1.12). A job that was never written has revision 0.
 */
export function annotationsTag({ kind, id, jobs }: Target, revisions: Revisions): string {
  const revisionOf = (job: number) => revisions.get(job)?.revision ?? 0
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
