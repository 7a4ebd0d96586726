import { arrayOf, rowKinds } from '@reticle/contracts/row-lines'
import { CompiledQuery, sql, type Transaction } from 'kysely'
import type { RequestIds } from '../../db/ids.ts'
import type { AnnotationsDb } from '../../db/schema.ts'
import { liveRows } from '../../reading/store/live.ts'
import { deleteFrom, partitionsOf } from '../../reading/store/partitions.ts'
import type { JobRows } from '../../targets/repo.ts'
import type { AnnotationTarget } from '../../targets/target.ts'

/** Returns the generation under which rows of a job are written. */
export type GenerationOf = (job: number) => number

/** Returns a number that no replacement used before, in any process. */
export async function newGeneration(ids: RequestIds): Promise<number> {
  await ids.reserve(1)
  return ids.next()
}

/** Deletes the rows that the jobs held when they were locked. */
export async function deleteLive(
  tx: Transaction<AnnotationsDb>,
  { task_id }: AnnotationTarget,
  before: JobRows,
): Promise<void> {
  for (const kind of rowKinds) {
    const filled = [...before.values()].filter((job) => job[arrayOf[kind]] > 0)
    if (filled.length === 0) continue
    const ids = filled.map((job) => job.job_id)
    for (const part of await partitionsOf(tx, kind, [task_id])) {
      const rowIds = `select stored.ctid from ${liveRows(kind, '$1::int[]', { from: part })}`
      await tx.executeQuery(CompiledQuery.raw(deleteFrom(part, rowIds), [ids]))
    }
  }
}

/** Moves new objects into the current generation of jobs that were replaced meanwhile. */
export async function followGenerations(
  tx: Transaction<AnnotationsDb>,
  { target, ids }: { target: AnnotationTarget; ids: RequestIds },
  generationOf: GenerationOf,
  now: JobRows,
): Promise<void> {
  for (const { job_id, generation } of now.values()) {
    if (generation === generationOf(job_id)) continue
    for (const table of Object.values(arrayOf)) {
      await sql`update ${sql.table(table)} set generation = ${generation}
        where task_id = ${target.task_id} and job_id = ${job_id}
          and generation = ${generationOf(job_id)}
          and id <@ ${ids.ranges()}::int8multirange`.execute(tx)
    }
  }
}
