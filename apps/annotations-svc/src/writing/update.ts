import type { RowKind } from '@reticle/contracts/row-lines'
import { type BytesAnswer, type Context, DomainError } from '@reticle/kit'
import type { Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { type Found, findObjects, readNamed } from '../reading/find.ts'
import { type Checked, objectOf } from '../reading/objects.ts'
import { assertUnchanged } from '../targets/etags.ts'
import type { RequestIds } from '../targets/ids.ts'
import { findJobRows, type JobRows, lockJobs, openWrite } from '../targets/job-rows.ts'
import { assertSameLabels, type WriteLabels } from '../targets/labels.ts'
import type { Note } from '../targets/once.ts'
import type { Target } from '../targets/target.ts'
import { type Begun, begin, poolFor } from './begin.ts'
import type { Batch } from './body.ts'
import { type Checker, type ReadObject, readNew } from './check.ts'
import { closeWrite, type Outcome, tellProjects } from './commit.ts'
import { answerHeld, type Held, hold, newHeld, type ReadAgain } from './held.ts'
import { insertRows, updateRows } from './insert.ts'
import { kept, type Ledger, newLedger, note } from './ledger.ts'
import { type Merged, mergeObject, refuseSharedIds } from './merge.ts'
import { openIdReader } from './named.ts'
import { deleteRows } from './remove.ts'
import { spool } from './spool.ts'
import { idsNeeded, numberObject, rowsOf, type StoredRow } from './stored.ts'

/** PATCH `action=update` (`spec/api-annotations.md` 1.9). */
export interface Update {
  target: Target
  source: AsyncIterable<Batch>
  checker: Checker
  labels: WriteLabels
  if_match: string | undefined
  note?: Note | undefined
}

/** Changes the objects that are named, all of them or none. */
export async function updateObjects(
  deps: Deps,
  update: Update,
  context: Context,
): Promise<BytesAnswer> {
  const begun = await begin(update.source, ({ items }) => items.length)
  const held = newHeld()
  const named: Work['named'] = { tag: [], shape: [], track: [] }
  const outcome = await poolFor(deps, begun.isWhole)
    .transaction()
    .execute((tx) => changeSet(tx, deps, { ...update, ...begun, held, named }, context))
  await tellProjects(deps, outcome, context)
  const { target } = update
  const readAgain: ReadAgain = async function* (tx, kind) {
    yield* readNamed(tx, kind, { target, jobs: await findJobRows(tx, target) }, named[kind])
  }
  return answerHeld(deps, held, readAgain, outcome.etag, context)
}

/** What the batches of one request share. */
interface Work extends Update {
  tx: Transaction<AnnotationsDb>
  /** As they were locked. */
  jobs: JobRows
  ids: RequestIds
  readIds: (batch: Batch) => number[]
  ledger: Ledger
  held: Held
  /** The objects in the order of the request. */
  named: Record<RowKind, number[]>
  missing: Record<RowKind, number[]>
  /** Ids of rows that are new to their job: they moved there, or a track has pieces it had not. */
  created: Map<number, number[]>
  keepsBefore: boolean
}

async function changeSet(
  tx: Transaction<AnnotationsDb>,
  deps: Deps,
  update: Update & Begun<Batch> & Pick<Work, 'held' | 'named'>,
  context: Context,
): Promise<Outcome> {
  const { target } = update
  await openWrite(tx, deps.settings)
  const source = update.isWhole ? update.source : await spool(tx, update.source, deps.settings)
  const before = await lockJobs(tx, deps, target, context)
  assertUnchanged(update.if_match, target, before)
  assertSameLabels(update.labels, before)
  const ledger = newLedger()
  const missing: Work['missing'] = { tag: [], shape: [], track: [] }
  const work = {
    ...update,
    tx,
    jobs: before,
    ids: deps.ids.open(),
    readIds: openIdReader(),
    ledger,
    missing,
    created: new Map<number, number[]>(),
    keepsBefore: deps.settings.historyDays > 0,
  }
  for await (const batch of source) await changeBatch(work, batch)
  assertNothingMissing(missing)
  const { settings } = deps
  const ofJob = (job: number) => ({ ...kept(job), created_ids: multirange(work.created.get(job)) })
  const closing = { action: 'update', ledger, before, ofJob, settings, note: update.note } as const
  return closeWrite(tx, target, closing, context)
}

async function changeBatch(work: Work, batch: Batch): Promise<void> {
  const { tx, target, missing, ids, labels } = work
  const { kind } = batch
  const named = work.readIds(batch)
  for (const id of named) work.named[kind].push(id)
  const found = await findObjects(tx, kind, { target, jobs: work.jobs }, named)
  const merged = new Map<unknown, Merged>()
  for (const [index, id] of named.entries()) {
    const stored = found.get(id)
    if (stored) merged.set(id, mergeObject(objectOf(stored.row), fieldsAt(batch, index), labels))
    else missing[kind].push(id)
  }
  if (Object.values(missing).some((list) => list.length > 0)) return // there may be more of them
  const checked = await work.checker.check(batch, readMerged(merged))
  await ids.reserve(checked.reduce((sum, one) => sum + idsNeeded(one, target), 0))
  const changes = checked.map((one) => changeOf(work, one, found))
  await store(work, kind, changes)
}

const fieldsAt = ({ items }: Batch, index: number) => ({ ...Object(items[index]) })

/** The object as it will be, read as a new one is; its own id, and those of its parts, stay. */
function readMerged(merged: ReadonlyMap<unknown, Merged>): ReadObject {
  return (report, kind, sent, rules) => {
    const one = merged.get(sent.id)
    if (!one) throw new Error('an object was merged that nobody found')
    const { fields, ownIds, hasValues } = one
    const isStrict = rules.isStrict && hasValues
    const checked = readNew(report, kind, fields, { ...rules, ownIds, isStrict })
    refuseSharedIds(report, checked)
    return withId(checked, Number(sent.id))
  }
}

function withId(checked: Checked, id: number): Checked {
  const { kind } = checked
  if (kind === 'tag') return { kind, object: { ...checked.object, id } }
  if (kind === 'shape') return { kind, object: { ...checked.object, id } }
  return { kind, object: { ...checked.object, id } }
}

interface Change {
  rows: StoredRow[]
  places: Found['places']
}

/** The rows that an object has from now on. In a job that has one of them already, its id stays. */
function changeOf(work: Work, checked: Checked, found: ReadonlyMap<number, Found>): Change {
  const { target, jobs, ids, ledger, held } = work
  numberObject(checked, ids)
  const own = checked.object.id ?? 0
  const places = found.get(own)?.places ?? []
  const placeIn = (job: number) => places.find((one) => one.job_id === job)
  const idOf = (job: number) => {
    const known = placeIn(job)?.id
    return known === undefined || known === own ? ids.next() : known
  }
  const generationOf = (job: number) => jobs.get(job)?.generation ?? 0
  const rows = rowsOf(checked, { target, generationOf, idOf })
  hold(held, checked, rows)
  for (const row of rows) {
    const place = placeIn(row.job_id)
    note(ledger, checked.kind, row, place ? 0 : 1)
    if (place?.id !== row.id) noteCreated(work, row)
  }
  for (const place of places) {
    const isLeft = !rows.some((row) => row.job_id === place.job_id)
    if (isLeft) note(ledger, checked.kind, place, -1)
  }
  return { rows, places }
}

function noteCreated({ created }: Work, { job_id, id }: StoredRow): void {
  const ids = created.get(job_id) ?? []
  ids.push(id)
  created.set(job_id, ids)
}

const multirange = (ids: readonly number[] | undefined) =>
  ids ? `{${ids.map((id) => `[${id},${id}]`).join()}}` : null

async function store(
  { tx, target, keepsBefore }: Work,
  kind: RowKind,
  changes: readonly Change[],
): Promise<void> {
  const staying = changes.filter((one) => !isMoved(kind, target, one))
  const moved = changes.filter((one) => isMoved(kind, target, one))
  const rowsIn = (list: readonly Change[]) => list.flatMap((one) => one.rows)
  const places = moved.flatMap((one) => one.places)
  await updateRows(tx, kind, target, { rows: rowsIn(staying), keepsBefore })
  await deleteRows(tx, kind, target, { places, keepsBefore })
  await insertRows(tx, kind, rowsIn(moved))
}

/** To another job; a task's track may have other pieces now. */
function isMoved(kind: RowKind, { kind: scope }: Target, { rows, places }: Change): boolean {
  if (scope === 'job') return false
  return kind === 'track' || rows[0]?.job_id !== places[0]?.job_id
}

const mostNamed = 100

function assertNothingMissing(missing: Work['missing']): void {
  const all = { tags: missing.tag, shapes: missing.shape, tracks: missing.track }
  const lists = Object.entries(all).filter(([, ids]) => ids.length > 0)
  if (lists.length === 0) return
  const count = lists.reduce((sum, [, ids]) => sum + ids.length, 0)
  const named = Object.fromEntries(lists.map(([name, ids]) => [name, ids.slice(0, mostNamed)]))
  throw new DomainError('not_found', `${count} of the objects do not exist here.`, {
    code: 'annotation_not_found',
    more: { missing: named },
  })
}
