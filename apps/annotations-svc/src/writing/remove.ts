import { arrayOf, type Row, type RowKind, rowKinds } from '@reticle/contracts/row-lines'
import type { BytesAnswer, Context } from '@reticle/kit'
import { sql, type Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { findObjects } from '../reading/find.ts'
import { assertUnchanged } from '../targets/etags.ts'
import { lockJobs, openWrite } from '../targets/job-rows.ts'
import type { Target } from '../targets/target.ts'
import type { Batch } from './body.ts'
import { assertFew } from './check.ts'
import { closeWrite, tellProjects } from './commit.ts'
import { answerRows } from './held.ts'
import { type Ledger, newLedger, note } from './ledger.ts'
import { openIdReader } from './named.ts'

/** PATCH `action=delete`: removes the objects that are named; those that are not there are passed over. */
export async function removeObjects(
  deps: Deps,
  target: Target,
  source: AsyncIterable<Batch>,
  if_match: string | undefined,
  context: Context,
): Promise<BytesAnswer> {
  const ids = await readIds(deps, source)
  // What was removed cannot be read again, so the answer holds it all.
  const gone: Row[] = []
  const outcome = await deps.db.transaction().execute(async (tx) => {
    await openWrite(tx, deps.settings)
    const before = await lockJobs(tx, deps, target, context)
    assertUnchanged(if_match, target, before)
    const ledger = newLedger()
    for (const kind of rowKinds) await removeKind(tx, kind, target, ids[kind], { ledger, gone })
    const labelsRevision = () => null
    return closeWrite(tx, target, { action: 'delete', ledger, before, labelsRevision }, context)
  })
  await tellProjects(deps, outcome, context)
  return answerRows(gone, outcome.etag)
}

async function readIds({ settings }: Deps, source: AsyncIterable<Batch>) {
  const ids: Record<RowKind, number[]> = { tag: [], shape: [], track: [] }
  const read = openIdReader()
  let count = 0
  for await (const batch of source) {
    for (const id of read(batch)) ids[batch.kind].push(id)
    count += batch.items.length
    assertFew(count, settings)
  }
  return ids
}

const atOnce = 1000

async function removeKind(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  target: Target,
  ids: readonly number[],
  { ledger, gone }: { ledger: Ledger; gone: Row[] },
): Promise<void> {
  for (let at = 0; at < ids.length; at += atOnce) {
    const part = ids.slice(at, at + atOnce)
    const found = await findObjects(tx, kind, target, part)
    const objects = part.flatMap((id) => found.get(id) ?? [])
    for (const { row } of objects) gone.push(row)
    const places = objects.flatMap((one) => one.places)
    for (const place of places) note(ledger, kind, place, -1)
    await deleteRows(tx, kind, target, places)
  }
}

/** Removes rows by the ids they have themselves. */
export async function deleteRows(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  { task_id }: Target,
  places: readonly { id: number }[],
): Promise<void> {
  if (places.length === 0) return
  const ids = places.map((one) => one.id)
  await sql`delete from ${sql.table(arrayOf[kind])}
    where task_id = ${task_id} and id = any(${ids}::bigint[])`.execute(tx)
}
