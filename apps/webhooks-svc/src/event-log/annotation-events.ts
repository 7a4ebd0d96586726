import type { AnnotationsChange } from '@reticle/contracts/events/annotations'
import type { LogEvent } from './server-events.ts'

const kinds = ['tags', 'shapes', 'tracks'] as const
const actions = ['create', 'update', 'delete'] as const
type Job = AnnotationsChange['jobs'][number]
type Counts = NonNullable<Job['by_action']>

/**
 * Converts an annotation change to log events, one per job, action and kind. `count` is the number of objects; the
 * payload lists their ids when there are few. A replacement is logged as deletions and creations.
 */
export function annotationEvents(change: AnnotationsChange): LogEvent[] {
  const { task_id, project_id = null, action, jobs } = change
  return jobs.flatMap((job) => {
    const place = { project_id, task_id, job_id: job.job_id }
    const counts = job.by_action ?? countsOf(action, job)
    return kinds.flatMap((kind) =>
      kindEvents(kind, counts, job.ids).map((one) => ({ ...one, ...place })),
    )
  })
}

/** Derives the counts of a change without details. A replacement that left the job empty counts as a deletion. */
function countsOf(action: AnnotationsChange['action'], job: Job): Counts {
  if (action === 'update' || action === 'delete') return { [action]: job }
  return job.is_annotated ? { create: job } : { delete: job }
}

/**
 * The event lists the ids of all changed objects, so the payload includes them only when a kind has a single action.
 */
function kindEvents(kind: (typeof kinds)[number], counts: Counts, ids: Job['ids']): LogEvent[] {
  const done = actions.filter((action) => counts[action]?.[kind])
  const payload = ids && done.length === 1 ? { [kind]: ids[kind].map((id) => ({ id })) } : {}
  return done.map((action) => ({
    scope: `${action}:${kind}`,
    count: counts[action]?.[kind],
    payload,
  }))
}
