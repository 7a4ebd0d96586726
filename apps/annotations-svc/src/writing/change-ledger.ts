import type { AnnotationsChange } from '@reticle/contracts/events/annotations'
import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import type { AnnotationSetRow } from '../db/schema.ts'
import type { JobChange } from '../targets/repo.ts'

type Counts = { tags: number; shapes: number; tracks: number }
type JobEvent = AnnotationsChange['jobs'][number]

/** Changes of a write so far, by job. */
export interface ChangeLedger {
  jobs: Map<number, Entry>
  /** Total number of changed objects. */
  touched: number
  /** False after objects were created or deleted without reading their ids. */
  hasIds: boolean
}

interface Entry {
  /** Difference of the object counts. */
  delta: Counts
  /** Numbers of created, updated and deleted objects. */
  touched: Counts
  by_action: Record<'create' | 'update' | 'delete', Counts>
  ids: { tags: number[]; shapes: number[]; tracks: number[] }
}

/** Maximum number of objects whose ids an event lists. */
const mostIds = 100

export const createChangeLedger = (): ChangeLedger => ({
  jobs: new Map(),
  touched: 0,
  hasIds: true,
})

function entryOf(ledger: ChangeLedger, job: number): Entry {
  const known = ledger.jobs.get(job)
  if (known) return known
  const none = () => ({ tags: 0, shapes: 0, tracks: 0 })
  const by_action = { create: none(), update: none(), delete: none() }
  const ids = { tags: [], shapes: [], tracks: [] }
  const entry = { delta: none(), touched: none(), by_action, ids }
  ledger.jobs.set(job, entry)
  return entry
}

const actionOf = { 1: 'create', 0: 'update', [-1]: 'delete' } as const

/** Records a row that was created (1), updated (0) or deleted (-1). */
export function recordRowChange(
  ledger: ChangeLedger,
  kind: RowKind,
  row: Place,
  delta: 1 | 0 | -1,
): void {
  const { delta: sum, touched, by_action, ids } = entryOf(ledger, row.job_id)
  sum[arrayOf[kind]] += delta
  touched[arrayOf[kind]] += 1
  by_action[actionOf[delta]][arrayOf[kind]] += 1
  ledger.touched += 1
  if (ledger.touched <= mostIds) ids[arrayOf[kind]].push(row.id)
}

interface Place {
  job_id: number
  id: number
}

/**
 * Records that all previous objects of a job were removed. If nothing replaces them, the removed objects count as
 * touched.
 */
export function recordEmptied(
  ledger: ChangeLedger,
  { job_id, tags, shapes, tracks }: AnnotationSetRow,
): void {
  recordDeletions(ledger, 'tag', job_id, tags)
  recordDeletions(ledger, 'shape', job_id, shapes)
  recordDeletions(ledger, 'track', job_id, tracks)
}

/** Records objects that were deleted without being read. */
export function recordDeletions(
  ledger: ChangeLedger,
  kind: RowKind,
  job: number,
  count: number,
): void {
  if (count === 0) return
  const name = arrayOf[kind]
  const { delta, touched, by_action } = entryOf(ledger, job)
  delta[name] -= count
  by_action.delete[name] += count
  if (touched[name] > 0) return
  touched[name] = count
  ledger.touched += count
  ledger.hasIds = false
}

/** Records objects that were created without being read. */
export function recordCreations(
  ledger: ChangeLedger,
  kind: RowKind,
  job: number,
  count: number,
): void {
  if (count === 0) return
  const name = arrayOf[kind]
  const { delta, touched, by_action } = entryOf(ledger, job)
  delta[name] += count
  by_action.create[name] += count
  touched[name] += count
  ledger.touched += count
  ledger.hasIds = false
}

/** Undoes recorded creations; a job without other changes counts as unchanged. */
export function noteUndone(ledger: ChangeLedger, kind: RowKind, job: number, count: number): void {
  const name = arrayOf[kind]
  const { delta, touched, by_action } = entryOf(ledger, job)
  delta[name] -= count
  by_action.create[name] -= count
  touched[name] -= count
  ledger.touched -= count
  ledger.hasIds = false
  if (sum(touched) === 0) ledger.jobs.delete(job)
}

/** Changes in the row of a job, besides its counts. */
export type OfJob = (
  job: number,
) => Pick<JobChange, 'labels_revision' | 'labels_noted' | 'generation' | 'created_ids'>

/** Change of a job whose other objects stay and that gets no new ones. */
export const unreplaced = { generation: null, created_ids: null }

/** Returns the changes of the job rows. */
export function changesOf({ jobs }: ChangeLedger, ofJob: OfJob): Map<number, JobChange> {
  return new Map(
    [...jobs].map(([job, { delta, by_action }]) => {
      const { create, update, delete: gone } = by_action
      const counts = { created: sum(create), updated: sum(update), deleted: sum(gone) }
      return [job, { ...delta, ...ofJob(job), counts }]
    }),
  )
}

const sum = ({ tags, shapes, tracks }: Counts) => tags + shapes + tracks

/** Returns the jobs of the event. */
export function eventsOf(
  { jobs, touched, hasIds }: ChangeLedger,
  rows: readonly AnnotationSetRow[],
  action: AnnotationsChange['action'],
): JobEvent[] {
  const isDetailed = rows.length <= mostDetailed
  const isListed = hasIds && touched <= mostIds
  return rows.map(({ job_id, revision, tags, shapes, tracks }) => {
    const entry = jobs.get(job_id)
    const counts = entry?.touched ?? { tags: 0, shapes: 0, tracks: 0 }
    const is_annotated = tags + shapes + tracks > 0
    return {
      job_id,
      revision,
      ...counts,
      ...(isDetailed && entry && detailsOf(entry, action)),
      is_annotated,
      ...(isListed && { ids: entry?.ids }),
    }
  })
}

/** Maximum number of jobs for which an event has more than counts. */
const mostDetailed = 1000

const usual = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  replace: 'create',
  import: 'create',
  restore: 'create',
}

/** Returns counts by action, unless they follow from the action of the write. */
function detailsOf({ by_action }: Entry, action: AnnotationsChange['action']) {
  const done = Object.entries(by_action)
    .map(([name, counts]) => [name, withoutZeros(counts)] as const)
    .filter(([, counts]) => Object.keys(counts).length > 0)
  const [first, second] = done
  if (!second && first?.[0] === usual[action]) return {}
  return { by_action: Object.fromEntries(done) }
}

const withoutZeros = (counts: Counts) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
