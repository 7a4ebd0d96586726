import { createHash } from 'node:crypto'
import type { BytesAnswer, Context } from '@reticle/kit'
import { type Kysely, sql } from 'kysely'
import type { AnnotationsDb, JobRow } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { openSnapshot } from '../reading/snapshot.ts'
import { annotationsTag } from '../targets/etags.ts'
import { countScope } from './count.ts'
import { statisticsOf } from './counts.ts'
import { openScope, type Scope, targetOf } from './scope.ts'

/** What is asked for; `labels`: counts of each label as well. */
export interface Wanted {
  target: Scope['kind']
  id: number
  labels: boolean
}

/**
 * Numbers about annotations (`spec/extensions.md` 2), in one snapshot. The entity tag comes first: who has the same numbers
 * already costs no counting.
 */
export async function readStatistics(
  deps: Deps,
  wanted: Wanted,
  context: Context,
): Promise<BytesAnswer> {
  const scope = await openScope(deps, wanted, context)
  return openSnapshot(deps.bulk, context.signal, async (tx, signal) => {
    const jobs = await findJobs(tx, scope)
    async function* chunks() {
      const set = wanted.labels ? await labelSetOf(deps, scope, context) : undefined
      const counts = await countScope(tx, scope, signal)
      yield Buffer.from(JSON.stringify(statisticsOf(counts, set, newestOf(jobs))))
    }
    return { head: { etag: tagOf(scope, wanted, jobs) }, chunks: chunks() }
  })
}

type Jobs = ReadonlyMap<number, JobRow>

async function findJobs(db: Kysely<AnnotationsDb>, { tasks }: Scope): Promise<Jobs> {
  const ids = tasks.flatMap(({ jobs }) => jobs.map((one) => one.id))
  const { rows } = await sql<JobRow>`
    select * from jobs where job_id = any(${ids}::int[])`.execute(db)
  return new Map(rows.map((row) => [row.job_id, row]))
}

function newestOf(jobs: Jobs): Date | undefined {
  const dates = [...jobs.values()].filter((job) => job.revision > 0).map((job) => job.updated_date)
  return dates.reduce<Date | undefined>((a, b) => (a && a > b ? a : b), undefined)
}

/** Everything that the numbers and names follow from. */
function tagOf(scope: Scope, { labels }: Wanted, jobs: Jobs): string {
  const hash = createHash('sha256').update(`${scope.labels_revision} ${labels}`)
  for (const task of scope.tasks) {
    const { size, frames, deleted } = task
    hash.update(`${annotationsTag(targetOf(scope, task), jobs)} ${size} `)
    hash.update(JSON.stringify([frames, deleted]))
  }
  return `"s${scope.id}-${hash.digest('hex').slice(0, 16)}"`
}

function labelSetOf({ services }: Deps, { kind, id, tasks: [task] }: Scope, context: Context) {
  const owner = kind === 'project' ? { project_id: id } : { task_id: task?.task_id }
  return services.labels.getLabelSet(owner, context)
}
