import type { AnnotationsChange } from '@reticle/contracts/events/annotations'
import { type BytesAnswer, type CallContext, invalidText } from '@reticle/kit'
import type { Transaction } from 'kysely'
import { awaitFirstBatches } from '../bodies/started-body.ts'
import type { RequestIds } from '../db/ids.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import {
  deleteLive,
  followGenerations,
  type GenerationOf,
  newGeneration,
} from '../history/store/generations.ts'
import type { Checked } from '../reading/objects.ts'
import { readCreated } from '../reading/rows.ts'
import { assertUnchanged } from '../targets/etags.ts'
import { assertSameLabels, type WriteLabels } from '../targets/labels.ts'
import type { Note } from '../targets/once.ts'
import { lockJobs, openWrite } from '../targets/repo.ts'
import type { AnnotationTarget } from '../targets/target.ts'
import { inTransaction } from '../targets/transaction.ts'
import {
  type ChangeLedger,
  createChangeLedger,
  recordEmptied,
  recordRowChange,
} from './change-ledger.ts'
import { closeWrite, notifyProjects, type WriteOutcome } from './commit.ts'
import {
  addResponseRow,
  buildResponse,
  createResponseRows,
  type ReadAgain,
  type ResponseRows,
} from './response-rows.ts'
import { dropDuplicates } from './store/duplicates.ts'
import { openInserter } from './store/insert.ts'
import { idsNeeded, openLayout, type StoredRow } from './stored.ts'

/** Objects to write to a target, replacing the existing ones or added to them. */
export interface TargetReplacement {
  target: AnnotationTarget
  /** Checked objects in request order, in batches of one kind. */
  source: AsyncIterable<readonly Checked[]>
  isReplacement: boolean
  /** Called with the numbers of removed duplicates; if set, duplicates are removed. */
  onDuplicates?: (dropped: Record<'tags' | 'shapes' | 'tracks', number>) => void
  action: AnnotationsChange['action']
  if_match: string | undefined
  /** Labels of the check; `seen` is absent when there are none to compare. */
  labels: Pick<WriteLabels, 'labels_revision'> & Partial<Pick<WriteLabels, 'seen'>>
  note?: Note | undefined
  /** Id of the background request that the write is part of. */
  rq_id?: string | undefined
  /** Whether the jobs keep their state instead of being started. */
  keeps_state?: boolean | undefined
  /** Source of ids for the objects and their parts. */
  ids: RequestIds
  /** Collects the objects for the response, if it contains them. */
  responseRows?: ResponseRows
}

/** Runs a write in a separate transaction and returns the stored objects. */
export async function writeSet(
  deps: Deps,
  write: Omit<TargetReplacement, 'ids' | 'responseRows'>,
  context: CallContext,
): Promise<BytesAnswer> {
  const { target } = write
  assertHasMedia(target)
  const { source, isWhole } = await awaitFirstBatches(write.source, (batch) => batch.length)
  const ids = deps.ids.open()
  const responseRows = createResponseRows()
  const outcome = await inTransaction(deps, {
    target,
    isWhole,
    write: (tx) => storeSet(tx, deps, { ...write, source, ids, responseRows }, context),
  })
  await notifyProjects(deps, outcome, context)
  const readAgain: ReadAgain = (tx, kind, signal) =>
    readCreated(tx, kind, target, { ids: ids.ranges(), signal })
  return buildResponse(deps, responseRows, readAgain, outcome.etag, context)
}

export function assertHasMedia({ jobs }: AnnotationTarget): void {
  if (jobs.length === 0) throw invalidText('This task data has not been initialized yet')
}

/**
 * Stores objects while they arrive and locks the jobs at the end, so that a slow upload does not block other writers;
 * it replaces the state at its end. An error leaves everything unchanged.
 */
export async function storeSet(
  tx: Transaction<AnnotationsDb>,
  deps: Pick<Deps, 'services' | 'settings'>,
  write: TargetReplacement,
  context: CallContext,
): Promise<WriteOutcome> {
  const { target } = write
  const { labels_revision, seen } = write.labels
  await openWrite(tx, deps.settings)
  const generation = write.isReplacement ? await newGeneration(write.ids) : null
  const generationOf = (job: number) => generation ?? seen?.get(job)?.generation ?? 0
  const ledger = await insertObjects(tx, write, generationOf)
  const before = await lockJobs(tx, deps, target, context)
  assertUnchanged(write.if_match, target, before)
  if (seen) assertSameLabels({ seen }, before)
  if (write.isReplacement) {
    if (deps.settings.historyDays === 0) await deleteLive(tx, target, before)
    for (const row of before.values()) recordEmptied(ledger, row)
  } else {
    await followGenerations(tx, write, generationOf, before)
    write.onDuplicates?.(await dropDuplicates(tx, { ...write, ledger }, before))
  }
  const { action, note, rq_id, keeps_state, ids } = write
  const createdIds = () => (generation === null ? ids.ranges() : null)
  const { settings } = deps
  const rest = { generation, createdIds, settings, note, rq_id, keeps_state }
  return closeWrite(tx, target, { action, ledger, before, labels_revision, ...rest }, context)
}

async function insertObjects(
  tx: Transaction<AnnotationsDb>,
  { target, source, ids, responseRows }: TargetReplacement,
  generationOf: GenerationOf,
): Promise<ChangeLedger> {
  const ledger = createChangeLedger()
  const inserter = openInserter(tx)
  const { layOut, store } = openLayout(target, generationOf)
  try {
    for await (const batch of source) {
      const laid = batch.map(layOut)
      await ids.reserve(laid.reduce((sum, one) => sum + idsNeeded(one), 0))
      let rows: StoredRow[] = []
      for (const one of laid) {
        const { kind } = one.checked
        const stored = store(one, ids, ids.next)
        if (responseRows) addResponseRow(responseRows, kind, stored)
        for (const row of stored.rows) recordRowChange(ledger, kind, row, 1)
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
