import type { Context } from '@reticle/kit'
import { indexLabels, type LabelIndex } from '../validation/labels.ts'
import type { Deps, Target } from './target.ts'

/** Labels that objects of the target may have, as they are now. */
export async function labelsOf(
  { services }: Pick<Deps, 'services'>,
  { task_id }: Target,
  context: Context,
): Promise<LabelIndex> {
  return indexLabels(await services.labels.getLabelSet({ task_id }, context))
}
