import { rowKinds } from '@reticle/contracts/row-lines'
import { type BytesAnswer, type CallContext, conflict } from '@reticle/kit'
import type { Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { describeDeletedLabels, findDeletedLabels } from '../history/store/deleted-labels.ts'
import { deleteLive, newGeneration } from '../history/store/generations.ts'
import { findReadableRevision, type ReadableRevision } from '../history/store/revisions.ts'
import { readSet } from '../reading/read.ts'
import { assertUnchanged } from '../targets/etags.ts'
import { assertSameLabels, labelsForWrite, type WriteLabels } from '../targets/labels.ts'
import { type Note, writeOnce } from '../targets/once.ts'
import { lockJobs, openWrite } from '../targets/repo.ts'
import { type AnnotationTarget, openTarget } from '../targets/target.ts'
import { createChangeLedger, recordCreations, recordEmptied } from '../writing/change-ledger.ts'
import { closeWrite, notifyProjects, type WriteOutcome } from '../writing/commit.ts'
import { copyRows, findUnknownLabels, renumberMoved } from './repo.ts'

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
  const readable = await findReadableRevision(tx, target, revision)
  await assertLabels(tx, readable, labels)
  const ids = deps.ids.open()
  const generation = await newGeneration(ids)
  const ledger = createChangeLedger()
  for (const kind of rowKinds) {
    recordCreations(ledger, kind, target.id, await copyRows(tx, kind, readable, generation))
  }
  const before = await lockJobs(tx, deps, target, context)
  assertUnchanged(if_match, target, before)
  assertSameLabels(labels, before)
  await findReadableRevision(tx, target, revision) // it may have expired while it was read
  await renumberMoved(tx, target, generation, ids)
  if (settings.historyDays === 0) await deleteLive(tx, target, before)
  for (const row of before.values()) recordEmptied(ledger, row)
  const closing = {
    action: 'restore' as const,
    ledger,
    before,
    settings,
    note,
    labels_revision: readable.labels_revision,
    labels_noted: target.labels_revision,
    generation,
    createdIds: () => null,
  }
  return closeWrite(tx, target, closing, context)
}

/** Maximum number of labels in an error. With names of maximum length the error still fits into a gRPC trailer. */
const mostNamed = 10

/** Checks that all labels still exist, because objects need one. */
async function assertLabels(
  tx: Transaction<AnnotationsDb>,
  readable: ReadableRevision,
  { byId }: WriteLabels,
): Promise<void> {
  const unknown = await findUnknownLabels(tx, readable, [...byId.keys()])
  if (unknown.length === 0) return
  const missing = unknown.slice(0, mostNamed)
  const missing_labels = await findDeletedLabels(tx, missing)
  const text = `Revision ${readable.revision} cannot be restored: it has objects of labels that were deleted since: ${describeDeletedLabels(missing_labels, unknown.length)}. A label that was created later under the same name is another label.`
  throw conflict(text, { code: 'label_missing', more: { missing, missing_labels } })
}
