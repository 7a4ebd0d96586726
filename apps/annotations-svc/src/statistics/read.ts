import { createHash } from 'node:crypto'
import type { BytesAnswer, CallContext } from '@reticle/kit'
import type { Deps } from '../deps.ts'
import { type Authors, countAuthors } from '../history/store/authors.ts'
import { openSnapshot } from '../reading/store/snapshot.ts'
import { annotationsTag } from '../targets/etags.ts'
import { countScope } from './count.ts'
import { statisticsOf } from './counts.ts'
import { openScope, type Scope, targetOf } from './scope.ts'
import { findAnnotationSets } from './store/select.ts'

/** Requested statistics; `labels` and `authors` add counts per label and per author. */
export interface StatisticsSelection {
  target: Scope['kind']
  id: number
  labels: boolean
  authors: boolean
}

/**
 * Returns statistics of annotations from one snapshot. The entity tag is computed first, so that an unchanged
 * response needs no counting.
 */
export async function readStatistics(
  deps: Deps,
  selection: StatisticsSelection,
  context: CallContext,
): Promise<BytesAnswer> {
  const { target, id, labels, authors } = selection
  const scope = await openScope(deps, selection, context)
  return openSnapshot(deps.bulk, context.signal, async (tx, signal) => {
    const jobs = await findAnnotationSets(tx, idsOf(scope).jobs)
    const people = authors ? await countAuthors(tx, idsOf(scope)) : undefined
    async function* chunks() {
      const set = labels
        ? await deps.services.labels.getLabelSet({ target, id }, context)
        : undefined
      const counts = await countScope(tx, scope, signal)
      const found = { ...statisticsOf(counts, set, newestOf(jobs)), ...people }
      yield Buffer.from(JSON.stringify(found))
    }
    return { head: { etag: tagOf(scope, selection, { jobs, people }) }, chunks: chunks() }
  })
}

/** Returns a value that changes whenever the annotations of the target change; also for projects. */
export async function readAnnotationsTag(
  deps: Deps,
  selection: Pick<StatisticsSelection, 'target' | 'id'>,
  context: CallContext,
): Promise<string> {
  const scope = await openScope(deps, selection, context)
  const jobs = await findAnnotationSets(deps.db, idsOf(scope).jobs)
  return tagOf(scope, { ...selection, labels: false, authors: false }, { jobs, people: undefined })
}

type Jobs = Awaited<ReturnType<typeof findAnnotationSets>>

const idsOf = ({ tasks }: Scope) => ({
  tasks: tasks.map((one) => one.task_id),
  jobs: tasks.flatMap(({ jobs }) => jobs.map((one) => one.id)),
})

function newestOf(jobs: Jobs): Date | undefined {
  const dates = [...jobs.values()].filter((job) => job.revision > 0).map((job) => job.updated_date)
  return dates.reduce<Date | undefined>((a, b) => (a && a > b ? a : b), undefined)
}

/** Hashes everything that the numbers and names depend on. */
function tagOf(
  scope: Scope,
  { labels }: StatisticsSelection,
  { jobs, people }: { jobs: Jobs; people: Authors | undefined },
): string {
  const hash = createHash('sha256').update(`${scope.labels_revision} ${labels}`)
  if (people) hash.update(JSON.stringify(people))
  for (const task of scope.tasks) {
    const { size, frames, deleted } = task
    hash.update(`${annotationsTag(targetOf(scope, task), jobs)} ${size} `)
    hash.update(JSON.stringify([frames, deleted]))
  }
  return `"s${scope.id}-${hash.digest('hex').slice(0, 16)}"`
}
