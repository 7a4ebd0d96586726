import type { AnnotationsChange } from '@reticle/contracts/events/annotations'
import { arrayOf } from '@reticle/contracts/row-lines'
import { type BytesAnswer, type Context, invalidText } from '@reticle/kit'
import { sql, type Transaction } from 'kysely'
import { assertUnchanged } from '../annotations/etags.ts'
import type { RequestIds } from '../annotations/ids.ts'
import { lockJobs } from '../annotations/job-rows.ts'
import { assertSameLabels, type WriteLabels } from '../annotations/labels.ts'
import type { Deps, Target } from '../annotations/target.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { begin } from './begin.ts'
import { closeWrite, type Outcome, tellProjects } from './commit.ts'
import { openInserter } from './insert.ts'
import { newLedger, note, noteEmptied } from './ledger.ts'
import { type Checked, idsNeeded, numberObject, rowsOf, type StoredRow } from './stored.ts'
import { answerTouched, newTouched, type Touched, touch } from './touched.ts'

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
}

/** Runs a write in a transaction of its own and answers the objects it stored. */
export async function writeSet(deps: Deps, write: Write, context: Context): Promise<BytesAnswer> {
  assertHasMedia(write.target)
  const source = await begin(write.source, (batch) => batch.length)
  const touched = newTouched()
  const outcome = await deps.bulk
    .transaction()
    .execute((tx) => storeSet(tx, deps, { ...write, source }, touched, context))
  await tellProjects(deps, outcome, context)
  return answerTouched(deps, write.target, touched, outcome.etag, context)
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
  deps: Pick<Deps, 'ids' | 'services' | 'settings'>,
  write: Write,
  touched: Touched,
  context: Context,
): Promise<Outcome> {
  const { target } = write
  const { labels_revision, seen } = write.labels
  await sql`select set_config('statement_timeout', '10min', true),
    set_config('idle_in_transaction_session_timeout', '1min', true)`.execute(tx)
  const ids = deps.ids.open()
  const ledger = await insertObjects(tx, write, ids, touched)
  touched.created = ids.ranges()
  const before = await lockJobs(tx, deps, target, context)
  assertUnchanged(write.if_match, target, before)
  if (seen) assertSameLabels({ seen }, before)
  if (write.isReplacement) {
    await deleteOthers(tx, target, ids)
    for (const row of before.values()) noteEmptied(ledger, row)
  }
  const labelsRevision = (job: number) => {
    const row = before.get(job)
    const wasEmpty = !row || row.tags + row.shapes + row.tracks === 0
    return write.isReplacement || wasEmpty ? labels_revision : null
  }
  const { action } = write
  return closeWrite(tx, target, { action, ledger, before, labelsRevision }, context)
}

async function insertObjects(
  tx: Transaction<AnnotationsDb>,
  { target, source }: Write,
  ids: RequestIds,
  touched: Touched,
) {
  const ledger = newLedger()
  const inserter = openInserter(tx)
  const rows: StoredRow[] = []
  try {
    for await (const batch of source) {
      await ids.reserve(batch.reduce((sum, one) => sum + idsNeeded(one, target), 0))
      for (const checked of batch) {
        numberObject(checked, ids)
        touch(touched, checked)
        for (const row of rowsOf(checked, target, ids.next)) {
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

/** What the jobs held before, by anybody; the rows of this request are told by their ids. */
async function deleteOthers(tx: Transaction<AnnotationsDb>, target: Target, ids: RequestIds) {
  const jobs = target.jobs.map((one) => one.id)
  for (const table of Object.values(arrayOf)) {
    await sql`delete from ${sql.table(table)}
      where task_id = ${target.task_id} and job_id = any(${jobs}::int[])
        and not id <@ ${ids.ranges()}::int8multirange`.execute(tx)
  }
}
