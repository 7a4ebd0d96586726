import type { RowKind } from '@reticle/contracts/row-lines'
import { type BytesAnswer, type CallContext, DomainError } from '@reticle/kit'
import type { Transaction } from 'kysely'
import type { Batch } from '../bodies/body.ts'
import { type Checker, type ReadObject, readNew } from '../bodies/check.ts'
import { openIdReader, openOnce, openOptionalIdReader } from '../bodies/named.ts'
import { awaitFirstBatches, type StartedBody } from '../bodies/started-body.ts'
import { spoolBatches } from '../bodies/store/spool.ts'
import type { RequestIds } from '../db/ids.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { historyCopyFor } from '../history/store/keep.ts'
import { completeObject } from '../reading/complete.ts'
import { type Checked, objectOf } from '../reading/objects.ts'
import { type Find, openFinder, readNamed, type StoredObject } from '../reading/store/find.ts'
import { assertUnchanged } from '../targets/etags.ts'
import { assertSameLabels, type WriteLabels } from '../targets/labels.ts'
import type { Note } from '../targets/once.ts'
import { lockJobs, openWrite } from '../targets/repo.ts'
import type { AnnotationTarget } from '../targets/target.ts'
import { inTransaction } from '../targets/transaction.ts'
import { type ChangeLedger, createChangeLedger, recordRowChange } from './change-ledger.ts'
import { closeWrite, notifyProjects, type WriteOutcome } from './commit.ts'
import { type Merged, mergeObject, refuseSharedIds, replaceObject } from './merge.ts'
import {
  addResponseRow,
  buildResponse,
  createResponseRows,
  type ReadAgain,
  type ResponseRows,
} from './response-rows.ts'
import { deleteRows } from './store/delete-rows.ts'
import { insertRows, updateRows } from './store/insert.ts'
import { idsNeeded, type Laid, openLayout, type RowLayout, type StoredRow } from './stored.ts'

/** Arguments of a PATCH with `action=update`. */
export interface Update {
  target: AnnotationTarget
  source: AsyncIterable<Batch>
  checker: Checker
  labels: WriteLabels
  if_match: string | undefined
  /** Whether named objects are replaced as a whole and objects without an id are created. */
  is_whole: boolean
  note?: Note | undefined
}

/** Updates the named objects, either all or none. */
export async function updateObjects(
  deps: Deps,
  update: Update,
  context: CallContext,
): Promise<BytesAnswer> {
  const started = await awaitFirstBatches(update.source, ({ items }) => items.length)
  const responseRows = createResponseRows()
  const named: Work['named'] = { tag: [], shape: [], track: [] }
  const outcome = await inTransaction(deps, {
    target: update.target,
    isWhole: started.isWhole,
    write: (tx) => changeSet(tx, deps, { ...update, ...started, responseRows, named }, context),
  })
  await notifyProjects(deps, outcome, context)
  const readAgain: ReadAgain = (tx, kind) => readNamed(tx, kind, update.target, named[kind])
  return buildResponse(deps, responseRows, readAgain, outcome.etag, context)
}

/** State shared by the batches of one request. */
interface Work extends Update {
  tx: Transaction<AnnotationsDb>
  ids: RequestIds
  /** Reads the ids of a batch; null for a new object. */
  readIds: (batch: Batch) => (number | null)[]
  find: Find
  refuseTwice: ReturnType<typeof openOnce>
  layout: RowLayout
  ledger: ChangeLedger
  responseRows: ResponseRows
  /** Ids of the objects in request order. */
  named: Record<RowKind, number[]>
  missing: Record<RowKind, number[]>
  /** Ids of rows that are new to their job: moved rows, or additional pieces of a track. */
  created: Map<number, number[]>
}

async function changeSet(
  tx: Transaction<AnnotationsDb>,
  deps: Deps,
  update: Update & StartedBody<Batch> & Pick<Work, 'responseRows' | 'named'>,
  context: CallContext,
): Promise<WriteOutcome> {
  const { target } = update
  const source = await wholeOf(tx, update, deps.settings)
  const before = await lockJobs(tx, deps, target, context)
  assertUnchanged(update.if_match, target, before)
  assertSameLabels(update.labels, before)
  const ledger = createChangeLedger()
  const missing: Work['missing'] = { tag: [], shape: [], track: [] }
  const { settings } = deps
  const created: Work['created'] = new Map()
  const generationOf = (job: number) => before.get(job)?.generation ?? 0
  const work = {
    ...update,
    tx,
    ids: deps.ids.open(),
    readIds: update.is_whole ? openOptionalIdReader() : openIdReader(),
    find: openFinder(tx, target, historyCopyFor(settings)),
    refuseTwice: openOnce(),
    layout: openLayout(target, generationOf),
    ledger,
    missing,
    created,
  }
  for await (const batch of source) await changeBatch(work, batch)
  assertNothingMissing(missing)
  const { labels_revision } = update.labels
  const closing = {
    action: 'update' as const,
    ledger,
    before,
    settings,
    labels_revision,
    generation: null,
    createdIds: (job: number) => multirange(created.get(job)),
  }
  return closeWrite(tx, target, { ...closing, note: update.note }, context)
}

async function wholeOf(
  tx: Work['tx'],
  { source, isWhole }: StartedBody<Batch>,
  settings: Deps['settings'],
) {
  if (isWhole) return source
  await openWrite(tx, settings)
  return spoolBatches(tx, source, settings)
}

async function changeBatch(work: Work, batch: Batch): Promise<void> {
  const { missing, ids, labels, layout } = work
  const { kind } = batch
  const named = work.readIds(batch)
  const found = await work.find(
    kind,
    named.filter((id) => id !== null),
  )
  work.refuseTwice(kind, named, batch.first, found)
  const merged = new Map<unknown, NamedObject>()
  const merge = work.is_whole ? replaceObject : mergeObject
  for (const [index, id] of named.entries()) {
    if (id === null) continue
    const stored = found.get(id)
    const whole = stored && completeObject(objectOf(stored.row), labels)
    if (!whole) missing[kind].push(id)
    else merged.set(id, { ...merge(whole, fieldsAt(batch, index)), id: stored.id })
  }
  if (Object.values(missing).some((list) => list.length > 0)) return // later batches may name more missing ids
  const checked = await work.checker.check(batch, readMerged(merged))
  const laid = checked.map(layout.layOut)
  await ids.reserve(laid.reduce((sum, one) => sum + idsNeeded(one), 0))
  const objects = new Map([...found.values()].map((one) => [one.id, one]))
  const changes = laid.map((one) => changeOf(work, one, objects))
  for (const { rows } of changes) work.named[kind].push(rows[0]?.id ?? 0)
  await store(work, kind, changes)
}

interface NamedObject extends Merged {
  /** Id of the object, which may differ from the id that named it. */
  id: number
}

const fieldsAt = ({ items }: Batch, index: number) => ({ ...Object(items[index]) })

/** Reads the resulting object like a new one, but keeps its id and those of its parts. */
function readMerged(merged: ReadonlyMap<unknown, NamedObject>): ReadObject {
  return async (report, kind, sent, rules) => {
    if (sent.id === undefined || sent.id === null) return readNew(report, kind, sent, rules)
    const one = merged.get(sent.id)
    if (!one) throw new Error('an object was merged that nobody found')
    const { fields, ownIds, hasValues } = one
    const isStrict = rules.isStrict && hasValues
    const checked = await readNew(report, kind, fields, { ...rules, ownIds, isStrict })
    refuseSharedIds(report, checked)
    return withId(checked, one.id)
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
  locations: StoredObject['locations']
}

/** Returns the new rows of an object. In a job that already has one of its rows, the row id stays. */
function changeOf(work: Work, laid: Laid, objects: ReadonlyMap<number, StoredObject>): Change {
  const { ids, ledger, responseRows, layout } = work
  const { kind, object } = laid.checked
  const own = object.id ?? 0
  const locations = objects.get(own)?.locations ?? []
  const placeIn = (job: number) => locations.find((one) => one.job_id === job)
  const idOf = (job: number) => {
    const known = placeIn(job)?.id
    return known === undefined || known === own ? ids.next() : known
  }
  const stored = layout.store(laid, ids, idOf)
  const { rows } = stored
  addResponseRow(responseRows, kind, stored)
  for (const row of rows) {
    const place = placeIn(row.job_id)
    recordRowChange(ledger, kind, row, place ? 0 : 1)
    if (place?.id !== row.id) noteCreated(work, row)
  }
  for (const place of locations) {
    const isLeft = !rows.some((row) => row.job_id === place.job_id)
    if (isLeft) recordRowChange(ledger, kind, place, -1)
  }
  return { rows, locations }
}

function noteCreated({ created }: Work, { job_id, id }: StoredRow): void {
  const ids = created.get(job_id) ?? []
  ids.push(id)
  created.set(job_id, ids)
}

const multirange = (ids: readonly number[] | undefined) =>
  ids ? `{${ids.map((id) => `[${id},${id}]`).join()}}` : null

/** Updates rows in place where the object keeps its rows; a track of a task may be cut differently now. */
async function store(
  { tx, target }: Work,
  kind: RowKind,
  changes: readonly Change[],
): Promise<void> {
  const isCut = kind === 'track' && target.kind === 'task'
  const staying: Change[] = []
  const others: Change[] = []
  for (const one of changes) (!isCut && hasSameRows(one) ? staying : others).push(one)
  const rowsIn = (list: readonly Change[]) => list.flatMap((one) => one.rows)
  const gone = others.flatMap((one) => one.locations)
  await updateRows(tx, kind, rowsIn(staying))
  await deleteRows(tx, kind, target, gone)
  await insertRows(tx, kind, rowsIn(others))
}

/** Whether the rows are in the same jobs with the same ids. */
function hasSameRows({ rows, locations }: Change): boolean {
  const isThere = ({ job_id, id }: StoredRow) =>
    locations.some((one) => one.id === id && one.job_id === job_id)
  return rows.length === locations.length && rows.every(isThere)
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
