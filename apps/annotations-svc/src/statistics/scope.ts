import type { TaskExtent } from '@reticle/contracts/rest/facts'
import type { CallContext } from '@reticle/kit'
import type { Deps } from '../deps.ts'
import { awaitLabelChanges } from '../targets/label-changes.ts'
import type { AnnotationTarget } from '../targets/target.ts'

/** Annotations to count: of a job, of a task, or of all tasks of a project. */
export interface Scope {
  kind: 'project' | 'task' | 'job'
  id: number
  labels_revision: number
  tasks: TaskExtent[]
}

/**
 * Finds the annotations to count, if the caller may view them.
 *
 * @throws DomainError not_found, forbidden
 */
export async function openScope(
  deps: Pick<Deps, 'db' | 'services' | 'settings'>,
  { target, id }: { target: Scope['kind']; id: number },
  context: CallContext,
): Promise<Scope> {
  const tasks: TaskExtent[] = []
  for (let after: number | undefined; ; ) {
    const page = await deps.services.media.listExtents({ target, id, after }, context)
    await awaitLabelChanges(deps, page.label_events, deps.settings.labelsWaitMs, context)
    tasks.push(...page.tasks)
    if (page.next === null)
      return { kind: target, id, labels_revision: page.labels_revision, tasks }
    after = page.next
  }
}

/** Returns one task of the scope as the target of a read. */
export function targetOf({ kind, id, labels_revision }: Scope, task: TaskExtent): AnnotationTarget {
  const { task_id, dimension, jobs, frames } = task
  const own = kind === 'job' ? { kind, id } : { kind: 'task' as const, id: task_id }
  const owner = { project_id: null, organization_id: null, labels_revision, label_events: [] }
  return { ...own, ...owner, task_id, dimension, jobs, frames }
}
