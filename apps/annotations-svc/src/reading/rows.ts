import type { AnnotationRow, RowKind } from '@reticle/contracts/row-lines'
import { copyOut } from '@reticle/kit/db/copy'
import { evaluateFilter } from '@reticle/kit/list/evaluate-filter'
import type { CompiledQuery, Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import { type AnnotationQuery, everything } from '../queries/annotation-query.ts'
import type { AnnotationTarget } from '../targets/target.ts'
import { foldRows, joinRows } from './fold.ts'
import { lineRows, parseJobRows, pieceRows } from './lines.ts'
import { objectOf } from './objects.ts'
import { findPairs } from './pairs.ts'
import {
  isPlain,
  selectCreated,
  selectFrames,
  selectPieces,
  selectRows,
  type TrackOrder,
} from './store/select.ts'

interface Reading {
  order: TrackOrder
  selection?: AnnotationQuery | undefined
  signal: AbortSignal
}

/** Yields the selected objects of one kind in batches, as `tx` sees them. For tracks `keepTracks` filters further. */
export async function* readKind(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  target: AnnotationTarget,
  { order, selection = everything, signal }: Reading,
): AsyncGenerator<AnnotationRow[]> {
  const copy = (query: CompiledQuery) => copyOut(tx, query, { signal })
  if (isPlain(kind, target)) {
    yield* lineRows(kind, copy(selectRows(tx, kind, target, order, selection)))
  } else if (kind === 'track') {
    const pairs = await findPairs(tx, target, signal)
    const joined = joinRows(pieceRows(copy(selectPieces(tx, target, order, pairs))), target)
    for await (const rows of joined) yield rows.filter((row) => hasLabel(row, selection))
  } else {
    const rows = parseJobRows(kind, copy(selectFrames(tx, kind, target, selection)))
    for await (const objects of foldRows(rows, target)) {
      yield objects.map((one) => one.row).filter((row) => isAskedFor(row, selection))
    }
  }
}

/** The label of a track is that of its first piece; another job may have changed the label of its piece. */
const hasLabel = ({ columns }: AnnotationRow, { label_id }: AnnotationQuery) =>
  label_id.length === 0 || label_id.includes(Number(columns[1]))

/** Whether a tag or shape matches the filter, with the same result as the SQL of `conditionsOn`. */
function isAskedFor(row: AnnotationRow, { filter }: AnnotationQuery): boolean {
  if (!filter) return true
  const members = new Map<string, unknown>(Object.entries(objectOf(row).object))
  return evaluateFilter(filter, (field) => {
    const value = members.get(field)
    if (typeof value === 'number' || typeof value === 'string') return value
    return typeof value === 'boolean' ? value : null
  })
}

/**
 * Yields the objects of one kind that a request created, complete and in order.
 *
 * @param ids all ids of the request, as a multirange
 */
export function readCreated(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  target: AnnotationTarget,
  { ids, signal }: { ids: string; signal: AbortSignal },
): AsyncGenerator<AnnotationRow[]> {
  const bytes = copyOut(tx, selectCreated(tx, kind, target, ids), { signal })
  const isWhole = kind !== 'track' || isPlain(kind, target)
  return isWhole ? lineRows(kind, bytes) : joinRows(pieceRows(bytes), target)
}
