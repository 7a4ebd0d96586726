import type { AnnotationsChange } from '@reticle/contracts/events/annotations'
import { arrayOf } from '@reticle/contracts/row-lines'
import { type BytesAnswer, type Context, invalidText } from '@reticle/kit'
import { sql, type Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import type { Checked } from '../reading/objects.ts'
import { readCreated } from '../reading/select.ts'
import { assertUnchanged } from '../targets/etags.ts'
import type { RequestIds } from '../targets/ids.ts'
import { type JobRows, lockJobs, openWrite } from '../targets/job-rows.ts'
import { assertSameLabels, type WriteLabels } from '../targets/labels.ts'
import type { Note } from '../targets/once.ts'
import type { Target } from '../targets/target.ts'
import { begin, poolFor } from './begin.ts'
import { closeWrite, type Outcome, tellProjects } from './commit.ts'
import { answerHeld, type Held, hold, newHeld, type ReadAgain } from './held.ts'
import { openInserter } from './insert.ts'
import { type Ledger, newLedger, note, noteEmptied } from './ledger.ts'
import { idsNeeded, numberObject, rowsOf, type StoredRow } from './stored.ts'

/** Objects that come into a target, in place of what is there or beside it. */
export interface Write {
  target: Target
  /** Checked objects in the order of the request, in batches of one kind. */
  source: AsyncIterable<readonly Checked[]>
  isReplacement: boolean
  action: AnnotationsChange['action']
  if_match: string | undefined
  /** The labels they were checked with; `seen` is absent when there are none to check. */
  labels: Pick<WriteLabels, 'labels_revision'> & Partial<Pick<WriteLabels, 'seen'>>
  note?: Note | undefined
  /** For the objects and their parts. */
  ids: RequestIds
  /** Gets the objects of the answer, where they are answered. */
  held?: Held
}

/** Runs a write in a transaction of its own and answers the objects it stored. */
export async function writeSet(
  deps: Deps,
  write: Omit<Write, 'ids' | 'held'>,
  context: Context,
): Promise<BytesAnswer> {
  const { target } = write
  assertHasMedia(target)
  const { source, isWhole } = await begin(write.source, (batch) => batch.length)
  const ids = deps.ids.open()
  const held = newHeld()
  const outcome = await poolFor(deps, isWhole)
    .transaction()
    .execute((tx) => storeSet(tx, deps, { ...write, source, ids, held }, context))
  await tellProjects(deps, outcome, context)
  const readAgain: ReadAgain = (tx, kind, signal) =>
    readCreated(tx, kind, target, { ids: ids.ranges(), jobs: outcome.after, signal })
  return answerHeld(deps, held, readAgain, outcome.etag, context)
}

export function assertHasMedia({ jobs }: Target): void {
  if (jobs.length === 0) throw invalidText('This task data has not been initialized yet')
}

/**
 * Stores the objects as they come, and only then locks the jobs: an upload that takes its time keeps nobody waiting, and
 * what it replaces is what stands there at its end. An error anywhere leaves everything as it was.
 */
export async function storeSet(
  tx: Transaction<AnnotationsDb>,
  deps: Pick<Deps, 'services' | 'settings'>,
  write: Write,
  context: Context,
): Promise<Outcome> {
  const { target } = write
  const { labels_revision, seen } = write.labels
  await openWrite(tx, deps.settings)
  const generation = write.isReplacement ? await newGeneration(write.ids) : undefined
  const generationOf = (job: number) => generation ?? seen?.get(job)?.generation ?? 0
  const ledger = await insertObjects(tx, write, generationOf)
  const before = await lockJobs(tx, deps, target, context)
  assertUnchanged(write.if_match, target, before)
  if (seen) assertSameLabels({ seen }, before)
  if (write.isReplacement) {
    await deleteLive(tx, target, before)
    for (const row of before.values()) noteEmptied(ledger, row)
  } else {
    await followGenerations(tx, write, generationOf, before)
  }
  const labelsRevision = (job: number) => {
    const row = before.get(job)
    const wasEmpty = !row || row.tags + row.shapes + row.tracks === 0
    return write.isReplacement || wasEmpty ? labels_revision : null
  }
  const { action, note } = write
  const closing = { action, ledger, before, labelsRevision, generation, note }
  return closeWrite(tx, target, closing, context)
}

/** Any number that no replacement had before, here or in another process. */
async function newGeneration(ids: RequestIds): Promise<number> {
  await ids.reserve(1)
  return ids.next()
}

type GenerationOf = (job: number) => number

async function insertObjects(
  tx: Transaction<AnnotationsDb>,
  { target, source, ids, held }: Write,
  generationOf: GenerationOf,
): Promise<Ledger> {
  const ledger = newLedger()
  const inserter = openInserter(tx)
  const rows: StoredRow[] = []
  try {
    for await (const batch of source) {
      await ids.reserve(batch.reduce((sum, one) => sum + idsNeeded(one, target), 0))
      for (const checked of batch) {
        numberObject(checked, ids)
        const own = rowsOf(checked, { target, generationOf, idOf: ids.next })
        if (held) hold(held, checked, own)
        for (const row of own) {
          note(ledger, checked.kind, row, 1)
          rows.push(row)
        }
      }
      const [first] = batch
      if (first) await inserter.add(first.kind, rows.splice(0))
    }
    await inserter.finish()
  } finally {
    await inserter.settle()
  }
  return ledger
}

/** What the jobs held when they were locked, by anybody. */
async function deleteLive(
  tx: Transaction<AnnotationsDb>,
  { task_id }: Target,
  before: JobRows,
): Promise<void> {
  for (const table of Object.values(arrayOf)) {
    const filled = [...before.values()].filter((job) => job[table] > 0)
    if (filled.length === 0) continue
    await sql`delete from ${sql.table(table)} as stored
      using unnest(${filled.map((job) => job.job_id)}::int[],
        ${filled.map((job) => job.generation)}::bigint[]) as job (job_id, generation)
      where stored.task_id = ${task_id} and stored.job_id = job.job_id
        and stored.generation = job.generation`.execute(tx)
  }
}

/** Where a job was replaced while these objects were on their way, they join what it has now. */
async function followGenerations(
  tx: Transaction<AnnotationsDb>,
  { target, ids }: Write,
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
