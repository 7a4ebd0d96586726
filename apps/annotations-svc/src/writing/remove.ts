import { arrayOf, type RowKind, rowKinds } from '@reticle/contracts/row-lines'
import type { BytesAnswer, Context } from '@reticle/kit'
import { sql, type Transaction } from 'kysely'
import { assertUnchanged } from '../annotations/etags.ts'
import { lockJobs } from '../annotations/job-rows.ts'
import type { Deps, Target } from '../annotations/target.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { objectOf } from '../reading/complete.ts'
import { findObjects } from '../reading/find.ts'
import type { Batch } from './body.ts'
import { assertFew } from './check.ts'
import { closeWrite, tellProjects } from './commit.ts'
import { type Ledger, newLedger, note } from './ledger.ts'
import { openIdReader } from './named.ts'
import { answerTouched, newTouched, type Touched, touch } from './touched.ts'

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
  const touched = newTouched({ mayForget: false })
  const outcome = await deps.db.transaction().execute(async (tx) => {
    const before = await lockJobs(tx, deps, target, context)
    assertUnchanged(if_match, target, before)
    const ledger = newLedger()
    for (const kind of rowKinds) await removeKind(tx, kind, target, ids[kind], { ledger, touched })
    const labelsRevision = () => null
    return closeWrite(tx, target, { action: 'delete', ledger, before, labelsRevision }, context)
  })
  await tellProjects(deps, outcome, context)
  return answerTouched(deps, target, touched, outcome.etag, context)
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
  { ledger, touched }: { ledger: Ledger; touched: Touched },
): Promise<void> {
  for (let at = 0; at < ids.length; at += atOnce) {
    const part = ids.slice(at, at + atOnce)
    const found = await findObjects(tx, kind, target, part)
    const gone = part.flatMap((id) => found.get(id) ?? [])
    for (const { row, places } of gone) {
      touch(touched, objectOf(row))
      for (const place of places) note(ledger, kind, place, -1)
    }
    const places = gone.flatMap((one) => one.places)
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
