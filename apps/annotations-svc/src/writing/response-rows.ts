import {
  type AnnotationRow,
  type RowKind,
  rowColumns,
  rowKinds,
} from '@reticle/contracts/row-lines'
import type { BytesAnswer, CallContext } from '@reticle/kit'
import type { Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { setBytes } from '../reading/json.ts'
import { latinRow } from '../reading/objects.ts'
import { wholeAnswer } from '../reading/read.ts'
import { openSnapshot } from '../reading/store/snapshot.ts'
import type { StoredRows } from './stored.ts'

/** Objects of a write in request order, kept for the response while they are few. */
export interface ResponseRows {
  /** Undefined once there were too many; they are then read again. */
  rows: AnnotationRow[] | undefined
  /** Number of characters in `rows`. */
  size: number
}

const mostRows = 2000
const mostCharacters = 4_000_000

export const createResponseRows = (): ResponseRows => ({ rows: [], size: 0 })

export function addResponseRow(
  responseRows: ResponseRows,
  kind: RowKind,
  { answer }: Pick<StoredRows, 'answer'>,
): void {
  if (!responseRows.rows) return
  const text = answer()
  const { columns } = latinRow(kind, text)
  responseRows.rows.push({ kind, columns: columns.slice(0, rowColumns[kind].length) })
  responseRows.size += text.length
  if (responseRows.rows.length > mostRows || responseRows.size > mostCharacters)
    responseRows.rows = undefined
}

/** Reads the objects of one kind of a write again. */
export type ReadAgain = (
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  signal: AbortSignal,
) => AsyncGenerator<AnnotationRow[]>

/**
 * Returns the objects of a write and its entity tag. Many objects are read again after the commit, so an object that
 * was deleted meanwhile is missing.
 */
export function buildResponse(
  deps: Pick<Deps, 'bulk'>,
  { rows }: Pick<ResponseRows, 'rows'>,
  readAgain: ReadAgain,
  etag: string,
  context: CallContext,
): Promise<BytesAnswer> {
  if (rows) return answerRows(rows, etag)
  return openSnapshot(deps.bulk, context.signal, async (tx, signal) => {
    const source = rowKinds.map((kind) => [kind, readAgain(tx, kind, signal)] as const)
    return { head: { etag }, chunks: setBytes(source) }
  })
}

/** Builds a response from rows in memory. */
export function answerRows(rows: readonly AnnotationRow[], etag: string): Promise<BytesAnswer> {
  const own = (kind: RowKind) => rows.filter((row) => row.kind === kind)
  return wholeAnswer(etag, setBytes(rowKinds.map((kind) => [kind, [own(kind)]])))
}
