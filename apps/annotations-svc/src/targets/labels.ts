import { type Context, conflict } from '@reticle/kit'
import type { Deps } from '../deps.ts'
import { indexLabels, type LabelIndex } from '../validation/labels.ts'
import { findJobRows, type JobRows } from './job-rows.ts'
import type { Target } from './target.ts'

/** Labels that objects of the target may have, as they are now. */
export async function labelsOf(
  { services }: Pick<Deps, 'services'>,
  { task_id }: Pick<Target, 'task_id'>,
  context: Context,
): Promise<LabelIndex> {
  return indexLabels(await services.labels.getLabelSet({ target: 'task', id: task_id }, context))
}

/** Labels that a write is checked with. */
export interface WriteLabels extends LabelIndex {
  /** The jobs as they were before the labels were read. */
  seen: JobRows
}

/** As `labelsOf`, for a write: see `assertSameLabels`. */
export async function labelsForWrite(
  deps: Pick<Deps, 'db' | 'services'>,
  target: Target,
  context: Context,
  known?: JobRows,
): Promise<WriteLabels> {
  const seen = known ?? (await findJobRows(deps.db, target)) // not after the labels: a change between the two would be missed
  return { ...(await labelsOf(deps, target, context)), seen }
}

/**
 * To be called under the locks of the jobs. Objects of a label that was removed since they were checked would stay for ever:
 * who removes them has been there already.
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
