import { type AnnotationRow, type RowKind, rowKinds } from '@reticle/contracts/row-lines'
import type { BytesAnswer, CallContext } from '@reticle/kit'
import type { Transaction } from 'kysely'
import type { Batch } from '../bodies/body.ts'
import { assertObjectCount } from '../bodies/check.ts'
import { openIdReader, openOnce } from '../bodies/named.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { historyCopyFor } from '../history/store/keep.ts'
import { setBytes } from '../reading/json.ts'
import { type Find, openFinder, readNamed } from '../reading/store/find.ts'
import { fixSnapshot, openLater } from '../reading/store/snapshot.ts'
import { assertUnchanged } from '../targets/etags.ts'
import type { Note } from '../targets/once.ts'
import { lockJobs } from '../targets/repo.ts'
import type { AnnotationTarget } from '../targets/target.ts'
import { inTransaction } from '../targets/transaction.ts'
import { type ChangeLedger, createChangeLedger, recordRowChange } from './change-ledger.ts'
import { closeWrite, notifyProjects, type WriteOutcome } from './commit.ts'
import { answerRows } from './response-rows.ts'
import { deleteRows } from './store/delete-rows.ts'

/**
 * Maximum number of deleted objects that are held for the response, the size of one batch; more are read from a
 * snapshot.
 */
const mostHeld = 1000

/** Objects to delete; `ids` are in the order of the request. */
interface Removal extends Condition {
  target: AnnotationTarget
  ids: Record<RowKind, number[]>
}

/** Conditions of a deletion. */
export interface Condition {
  if_match: string | undefined
  note?: Note | undefined
}

/** Handles PATCH `action=delete`: deletes the named objects and ignores unknown ids. */
export async function removeObjects(
  deps: Deps,
  target: AnnotationTarget,
  source: AsyncIterable<Batch>,
  condition: Condition,
  context: CallContext,
): Promise<BytesAnswer> {
  const ids = await readIds(deps, source)
  const count = rowKinds.reduce((sum, kind) => sum + ids[kind].length, 0)
  const removal = { target, ids, ...condition }
  if (count > mostHeld) return removeMany(deps, removal, context)
  const gone: AnnotationRow[] = []
  const outcome = await inTransaction(deps, {
    target,
    isWhole: true,
    write: (tx) => removeSet(tx, deps, removal, (row) => gone.push(row), context),
  })
  await notifyProjects(deps, outcome, context)
  return answerRows(gone, outcome.etag)
}

/**
 * Streams the response from a snapshot that is taken while the jobs are locked, before the commit, where the objects
 * still exist. Its connection is taken first: a holder of one in this pool may wait for the other pool, but never the
 * reverse.
 */
function removeMany(deps: Deps, removal: Removal, context: CallContext): Promise<BytesAnswer> {
  const { target, ids } = removal
  return openLater(deps.bulk, context.signal, async (past) => {
    const write = async (tx: Transaction<AnnotationsDb>) => {
      const done = await removeSet(tx, deps, removal, () => undefined, context)
      await fixSnapshot(past)
      return done
    }
    const outcome = await inTransaction(deps, { target, isWhole: true, write })
    await notifyProjects(deps, outcome, context)
    const source = rowKinds.map((kind) => [kind, readNamed(past, kind, target, ids[kind])] as const)
    return { head: { etag: outcome.etag }, chunks: setBytes(source) }
  })
}

async function removeSet(
  tx: Transaction<AnnotationsDb>,
  deps: Deps,
  { target, ids, if_match, note: notifications }: Removal,
  onDeleted: (row: AnnotationRow) => void,
  context: CallContext,
): Promise<WriteOutcome> {
  const before = await lockJobs(tx, deps, target, context)
  assertUnchanged(if_match, target, before)
  const ledger = createChangeLedger()
  const { settings } = deps
  const removing = { find: openFinder(tx, target, historyCopyFor(settings)), ledger, onDeleted }
  for (const kind of rowKinds) await removeKind(tx, kind, target, ids[kind], removing)
  const closing = {
    action: 'delete' as const,
    ledger,
    before,
    settings,
    labels_revision: null,
    generation: null,
    createdIds: () => null,
  }
  return closeWrite(tx, target, { ...closing, note: notifications }, context)
}

async function readIds({ settings }: Deps, source: AsyncIterable<Batch>) {
  const ids: Record<RowKind, number[]> = { tag: [], shape: [], track: [] }
  const read = openIdReader()
  let count = 0
  for await (const batch of source) {
    for (const id of read(batch)) ids[batch.kind].push(id)
    count += batch.items.length
    assertObjectCount(count, settings.maxObjects)
  }
  return ids
}

const atOnce = 1000

interface Removing {
  ledger: ChangeLedger
  find: Find
  onDeleted: (row: AnnotationRow) => void
}

async function removeKind(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  target: AnnotationTarget,
  ids: readonly number[],
  { find, ledger, onDeleted }: Removing,
): Promise<void> {
  const refuseTwice = openOnce()
  for (let at = 0; at < ids.length; at += atOnce) {
    const part = ids.slice(at, at + atOnce)
    const found = await find(kind, part)
    refuseTwice(kind, part, at, found)
    const objects = part.flatMap((id) => found.get(id) ?? [])
    for (const { row } of objects) onDeleted(row)
    const locations = objects.flatMap((one) => one.locations)
    for (const place of locations) recordRowChange(ledger, kind, place, -1)
    await deleteRows(tx, kind, target, locations)
  }
}
