import type { AnnotationsChange } from '@reticle/contracts/events/annotations'
import { arrayOf } from '@reticle/contracts/row-lines'
import { type BytesAnswer, type Context, invalidText } from '@reticle/kit'
import { sql, type Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import type { Checked } from '../reading/objects.ts'
import { readCreated } from '../reading/rows.ts'
import { assertUnchanged } from '../targets/etags.ts'
import type { RequestIds } from '../targets/ids.ts'
import { type JobRows, lockJobs, openWrite } from '../targets/job-rows.ts'
import { assertSameLabels, type WriteLabels } from '../targets/labels.ts'
import type { Note } from '../targets/once.ts'
import type { Target } from '../targets/target.ts'
import { inTransaction } from '../targets/transaction.ts'
import { begin } from './begin.ts'
import { closeWrite, type Outcome, tellProjects } from './commit.ts'
import { answerHeld, type Held, hold, newHeld, type ReadAgain } from './held.ts'
import { openInserter } from './insert.ts'
import { newLedger, note, noteEmptied } from './ledger.ts'
import { idsNeeded, openLayout, type StoredRow } from './stored.ts'

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
  const outcome = await inTransaction(deps, {
    target,
    isWhole,
    write: (tx) => storeSet(tx, deps, { ...write, source, ids, held }, context),
  })
  await tellProjects(deps, outcome, context)
  const readAgain: ReadAgain = (tx, kind, signal) =>
    readCreated(tx, kind, target, { ids: ids.ranges(), signal })
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
  const ledger = await insertObjects(tx, write)
  const before = await lockJobs(tx, deps, target, context)
  assertUnchanged(write.if_match, target, before)
  if (seen) assertSameLabels({ seen }, before)
  if (write.isReplacement) {
    await deleteOthers(tx, write, before)
    for (const row of before.values()) noteEmptied(ledger, row)
  }
  const { action, isReplacement, note } = write
  const closing = { action, ledger, before, labels_revision, isReplacement, note }
  return closeWrite(tx, target, closing, context)
}

async function insertObjects(tx: Transaction<AnnotationsDb>, { target, source, ids, held }: Write) {
  const ledger = newLedger()
  const inserter = openInserter(tx)
  const { layOut, store } = openLayout(target)
  try {
    for await (const batch of source) {
      const laid = batch.map(layOut)
      await ids.reserve(laid.reduce((sum, one) => sum + idsNeeded(one), 0))
      let rows: StoredRow[] = []
      for (const one of laid) {
        const { kind } = one.checked
        const stored = store(one, ids, ids.next)
        if (held) hold(held, kind, stored)
        for (const row of stored.rows) note(ledger, kind, row, 1)
        rows.push(...stored.rows)
        // One track of a large task may be thousands of rows.
        if (rows.length < mostRows && one !== laid.at(-1)) continue
        await inserter.add(kind, rows)
        rows = []
      }
    }
    await inserter.finish()
  } finally {
    await inserter.settle()
  }
  return ledger
}

const mostRows = 5000

/** What the jobs held before, by anybody; the rows of this request are told by their ids. */
async function deleteOthers(
  tx: Transaction<AnnotationsDb>,
  { target, ids }: Write,
  before: JobRows,
): Promise<void> {
  const jobs = target.jobs.map((one) => one.id)
  const counts = [...before.values()]
  for (const table of Object.values(arrayOf)) {
    if (counts.every((row) => row[table] === 0)) continue
    await sql`delete from ${sql.table(table)}
      where task_id = ${target.task_id} and job_id = any(${jobs}::int[])
        and not id <@ ${ids.ranges()}::int8multirange`.execute(tx)
  }
}
