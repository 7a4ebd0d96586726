import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { type Prepared, queryTexts } from '@reticle/kit/db/prepared'
import type { Kysely } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'
import { isFolded } from '../../layout/folds.ts'
import { type AnnotationQuery, everything, isEverything } from '../../queries/annotation-query.ts'
import { type AnnotationTarget, isSequence } from '../../targets/target.ts'
import { jsonOf, setJson } from '../json.ts'
import { type Few, mostOfFew, readFrames, stateColumns, stateOf } from './select-frames.ts'

/**
 * Reads a small set, or the objects on a few frames of any set, as JSON of one moment. Returns undefined for larger
 * reads and for those that need merging: shared frames, or tracks across jobs.
 */
export async function readFew(
  db: Kysely<AnnotationsDb>,
  target: AnnotationTarget,
  selection: AnnotationQuery = everything,
): Promise<Few | undefined> {
  if (!isSequence(target)) return undefined
  if (!isEverything(selection)) return readFrames(db, target, selection)
  const ids = target.jobs.map((one) => one.id)
  const [statement, jobIds] = isFolded(target) ? [ofJobs, ids] : [ofJob, ids[0]]
  const jobs = await queryTexts(db, statement, [target.task_id, jobIds])
  if (jobs.some(([isFew]) => isFew === 'f')) return undefined
  const list = (index: number) => jobs.flatMap((columns) => columns[index] ?? []).join()
  return {
    states: new Map(jobs.map(([, ...state]) => stateOf(state))),
    json: setJson({ tag: list(8), shape: list(9), track: list(10) }),
  }
}

/** Selects the states of jobs, each with the JSON of its objects as one text per kind. */
function statementOf(name: string, where: string, isFew: string): Prepared {
  const text = `select is_few, ${stateColumns},
      ${listOf('tag')}, ${listOf('shape')}, ${listOf('track')}
    from (
      select *, sum(tags + shapes + 20 * tracks) over () <= ${mostOfFew} and ${isFew} as is_few
      from jobs where ${where}
    ) job order by job_id`
  return { name, text }
}

function listOf(kind: RowKind): string {
  const table = arrayOf[kind]
  const order = kind === 'track' ? 'id' : 'frame, id'
  const rows = `select * from ${table} where task_id = $1 and job_id = job.job_id
    and generation = job.generation order by ${order}`
  return `case when is_few and job.${table} > 0 then
    (select string_agg(${jsonOf[kind]}, ',') from (${rows}) one) end`
}

const ofJob = statementOf('few_of_job', 'job_id = $2', 'true')
const ofJobs = statementOf('few_of_jobs', 'job_id = any($2::int[])', 'sum(tracks) over () = 0')
