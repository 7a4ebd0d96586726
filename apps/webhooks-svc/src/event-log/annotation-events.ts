import type { AnnotationsChange } from '@reticle/contracts/events/annotations'
import type { Told } from './server-events.ts'

const kinds = ['tags', 'shapes', 'tracks'] as const
const actions = ['create', 'update', 'delete'] as const
type Job = AnnotationsChange['jobs'][number]
type Counts = NonNullable<Job['by_action']>

/**
 * What a write of annotations did, by job, action and kind: `count` is how many objects, the payload names them where they
 * are few (`spec/api-workspace.md` 6.2). A replacement deletes and creates.
 */
export function annotationEvents(change: AnnotationsChange): Told[] {
  const { task_id, project_id = null, action, jobs } = change
  return jobs.flatMap((job) => {
    const place = { project_id, task_id, job_id: job.job_id }
    const counts = job.by_action ?? countsOf(action, job)
    return kinds.flatMap((kind) =>
      kindEvents(kind, counts, job.ids).map((one) => ({ ...one, ...place })),
    )
  })
}

/** Without details one thing was done: what the action says, where a replacement may have left nothing. */
function countsOf(action: AnnotationsChange['action'], job: Job): Counts {
  if (action === 'update' || action === 'delete') return { [action]: job }
  return job.is_annotated ? { create: job } : { delete: job }
}

/** The event's ids are those of all that was touched: they are told where only one thing was done to the kind. */
function kindEvents(kind: (typeof kinds)[number], counts: Counts, ids: Job['ids']): Told[] {
  const done = actions.filter((action) => counts[action]?.[kind])
  const payload = ids && done.length === 1 ? { [kind]: ids[kind].map((id) => ({ id })) } : {}
  return done.map((action) => ({
    scope: `${action}:${kind}`,
    count: counts[action]?.[kind],
    payload,
  }))
}
