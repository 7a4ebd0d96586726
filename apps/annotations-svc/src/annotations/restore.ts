import { arrayOf, type RowKind, rowKinds } from '@reticle/contracts/row-lines'
import { type BytesAnswer, type CallContext, conflict } from '@reticle/kit'
import { sql, type Transaction } from 'kysely'
import type { RequestIds } from '../db/ids.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { describeDeletedLabels, findDeletedLabels } from '../history/deleted-labels.ts'
import { deleteLive, newGeneration } from '../history/generations.ts'
import { rowColumns } from '../history/keep.ts'
import { findMoment, type Moment } from '../history/revisions.ts'
import { rowsAt } from '../history/state.ts'
import { readSet } from '../reading/read.ts'
import { assertUnchanged } from '../targets/etags.ts'
import { lockJobs, openWrite } from '../targets/job-rows.ts'
import { assertSameLabels, labelsForWrite, type WriteLabels } from '../targets/labels.ts'
import { type Note, writeOnce } from '../targets/once.ts'
import { type AnnotationTarget, openTarget } from '../targets/target.ts'
import { createChangeLedger, recordCreations, recordEmptied } from '../writing/change-ledger.ts'
import { closeWrite, notifyProjects, type WriteOutcome } from '../writing/commit.ts'

export interface Restore {
  id: number
  revision: number
  if_match?: string | undefined
}

/**
 * Restores the set that a job had at a revision as a new revision; objects keep the ids they had
 * (docs/spec/annotations.md#history). The rows are copied inside the database; only the response passes through this
 * process.
 *
 * @throws DomainError not_found, gone `revision_expired`, precondition; conflict `label_missing`
 */
export async function restoreRevision(
  deps: Deps,
  { id, revision, if_match }: Restore,
  context: CallContext,
): Promise<BytesAnswer> {
  const target = await openTarget(deps, { target: 'job', id }, 'annotations:write', context)
  const labels = await labelsForWrite(deps, target, context)
  return writeOnce(deps, { id, body: emptyBody() }, context, async (body, note) => {
    for await (const _ of body); // the body is empty: the path alone identifies the call
    const restored = { target, labels, revision, if_match, note }
    const outcome = await deps.bulk
      .transaction()
      .execute((tx) => restoreSet(tx, deps, restored, context))
    await notifyProjects(deps, outcome, context)
    return readSet(deps, target, { frames: [], label_id: [] }, context)
  })
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

interface RestoreOptions extends Omit<Restore, 'id'> {
  target: AnnotationTarget
  labels: WriteLabels
  note: Note | undefined
}

/** Works like a replacement: writes the rows first and locks the job last. */
async function restoreSet(
  tx: Transaction<AnnotationsDb>,
  deps: Deps,
  { target, labels, revision, if_match, note }: RestoreOptions,
  context: CallContext,
): Promise<WriteOutcome> {
  const { settings } = deps
  await openWrite(tx, settings)
  const moment = await findMoment(tx, target, revision)
  await assertLabels(tx, moment, labels)
  const ids = deps.ids.open()
  const generation = await newGeneration(ids)
  const ledger = createChangeLedger()
  for (const kind of rowKinds) {
    recordCreations(ledger, kind, target.id, await copyRows(tx, kind, moment, generation))
  }
  const before = await lockJobs(tx, deps, target, context)
  assertUnchanged(if_match, target, before)
  assertSameLabels(labels, before)
  await findMoment(tx, target, revision) // the revision may have expired while it was read
  await renumberMoved(tx, target, generation, ids)
  if (settings.historyDays === 0) await deleteLive(tx, target, before)
  for (const row of before.values()) recordEmptied(ledger, row)
  const closing = {
    ...{ action: 'restore' as const, ledger, before, settings, note },
    ...{ labels_revision: moment.labels_revision, labels_noted: target.labels_revision },
    ...{ generation, createdIds: () => null },
  }
  return closeWrite(tx, target, closing, context)
}

/** Copies the rows of a revision into another generation, in the order in which they are read. */
async function copyRows(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  moment: Moment,
  generation: number,
): Promise<number> {
  const names = rowColumns[kind].map((name) => sql.ref(name))
  const values = rowColumns[kind].map((name) =>
    name === 'generation' ? sql`${generation}::bigint` : sql.ref(name),
  )
  const { numAffectedRows } = await sql`
    insert into ${sql.table(arrayOf[kind])} (${sql.join(names)})
    select ${sql.join(values)} from (${rowsAt(kind, moment)}) as one
    order by ${sql.ref(kind === 'track' ? 'start_frame' : 'frame')}, id`.execute(tx)
  return Number(numAffectedRows)
}

/** Maximum number of labels in an error. With names of maximum length the error still fits into a gRPC trailer. */
const mostNamed = 10

/** Checks that all labels still exist, because objects need one. */
async function assertLabels(
  tx: Transaction<AnnotationsDb>,
  moment: Moment,
  { byId }: WriteLabels,
): Promise<void> {
  const known = [...byId.keys()]
  const used = rowKinds.map((kind) => sql`select label_id from (${rowsAt(kind, moment)}) as one`)
  const { rows } = await sql<{ label_id: number }>`
    select distinct label_id from (${sql.join(used, sql` union all `)}) as one
    where label_id <> all(${known}::int[]) order by label_id`.execute(tx)
  if (rows.length === 0) return
  const missing = rows.slice(0, mostNamed).map((row) => row.label_id)
  const missing_labels = await findDeletedLabels(tx, missing)
  const text = `Revision ${moment.revision} cannot be restored: it has objects of labels that were deleted since: ${describeDeletedLabels(missing_labels, rows.length)}. A label that was created later under the same name is another label.`
  throw conflict(text, { code: 'label_missing', more: { missing, missing_labels } })
}

/**
 * Assigns new ids to objects whose ids are now used in another job of the task. This happens only after an update of
 * the task moved objects between jobs.
 */
async function renumberMoved(
  tx: Transaction<AnnotationsDb>,
  { task_id, id: job_id }: AnnotationTarget,
  generation: number,
  ids: RequestIds,
): Promise<void> {
  const { rows: moves } = await sql`
    select from revisions where task_id = ${task_id}
      and action = 'update' and created_ids is not null limit 1`.execute(tx)
  if (moves.length === 0) return
  // Two concurrent restores of a task would not see each other's objects.
  await sql`select pg_advisory_xact_lock(hashtext('annotations.restore'), ${task_id})`.execute(tx)
  for (const table of Object.values(arrayOf)) {
    const own = sql`own.task_id = ${task_id} and own.job_id = ${job_id}
      and own.generation = ${generation}`
    const { rows } = await sql<{ id: number }>`
      select id from ${sql.table(table)} as own where ${own} and exists (
        select from ${sql.table(table)} as other join jobs using (job_id, generation)
        where other.task_id = ${task_id} and other.id = own.id and other.job_id <> ${job_id})`.execute(
      tx,
    )
    await ids.reserve(rows.length)
    await sql`update ${sql.table(table)} as own set id = given.new_id
      from unnest(${rows.map((row) => row.id)}::bigint[], ${rows.map(ids.next)}::bigint[])
        as given (id, new_id)
      where ${own} and own.id = given.id`.execute(tx)
  }
}
