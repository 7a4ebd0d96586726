import { type CallContext, conflict } from '@reticle/kit'
import type { Deps } from '../deps.ts'
import { indexLabels, type LabelIndex } from '../validation/labels.ts'
import { findJobRows, type JobRows } from './repo.ts'
import type { AnnotationTarget } from './target.ts'

/** Reads the current labels that objects of the target may have. */
export async function labelsOf(
  { services }: Pick<Deps, 'services'>,
  { task_id }: Pick<AnnotationTarget, 'task_id'>,
  context: CallContext,
): Promise<LabelIndex> {
  return indexLabels(await services.labels.getLabelSet({ target: 'task', id: task_id }, context))
}

/** Labels that a write is checked with. */
export interface WriteLabels extends LabelIndex {
  /** Rows of the jobs that were read before the labels. */
  seen: JobRows
}

/** Reads labels like `labelsOf`, for a write: see `assertSameLabels`. */
export async function labelsForWrite(
  deps: Pick<Deps, 'db' | 'services'>,
  target: AnnotationTarget,
  context: CallContext,
  known?: JobRows,
): Promise<WriteLabels> {
  // read before the labels, since a change in between would be missed otherwise
  const seen = known ?? (await findJobRows(deps.db, target))
  return { ...(await labelsOf(deps, target, context)), seen }
}

/**
 * Checks that no label was removed since the objects were checked; to be called while the jobs are locked. Objects of
 * a removed label would stay forever, because its event was already handled.
 *
 * @throws DomainError conflict
 */
export function assertSameLabels({ seen }: Pick<WriteLabels, 'seen'>, now: JobRows): void {
  const changesOf = (rows: JobRows, job: number) => rows.get(job)?.labels_changes ?? 0
  if ([...now.keys()].every((job) => changesOf(seen, job) === changesOf(now, job))) return
  throw conflict(
    'The labels were changed while the annotations were on their way. Send them again.',
    {
      code: 'annotations_locked',
      retry_after: 2,
    },
  )
}
