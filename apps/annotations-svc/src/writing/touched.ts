import { type Row, type RowKind, rowKinds } from '@reticle/contracts/row-lines'
import type { BytesAnswer, Context } from '@reticle/kit'
import type { Kysely } from 'kysely'
import type { Deps, Target } from '../annotations/target.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { findObjects } from '../reading/find.ts'
import { setBytes } from '../reading/json.ts'
import { latinRow } from '../reading/pieces.ts'
import { wholeAnswer } from '../reading/read.ts'
import { readCreated } from '../reading/select.ts'
import { openSnapshot } from '../reading/snapshot.ts'
import { answerText, type Checked } from './stored.ts'

/** The objects of a write in the order of the request, which is the order of its answer. */
export interface Touched {
  ids: Record<RowKind, number[]>
  /** The objects themselves, as long as they are few. */
  rows: Row[] | undefined
  /** Characters of `rows`. */
  size: number
  /** Whether many of them need not be held: they can be read again. */
  mayForget: boolean
  /** Of a request that only creates: every id it had, as a multirange. */
  created?: string
}

/** What an answer may hold in memory; a larger one is read again. */
const mostRows = 2000
const mostCharacters = 4_000_000

export const newTouched = ({ mayForget } = { mayForget: true }): Touched => ({
  ids: { tag: [], shape: [], track: [] },
  rows: [],
  size: 0,
  mayForget,
})

export function touch(touched: Touched, checked: Checked): void {
  const { kind, object } = checked
  touched.ids[kind].push(object.id ?? 0)
  if (!touched.rows) return
  const text = answerText(checked)
  touched.rows.push(latinRow(kind, text))
  touched.size += text.length
  const isMany = touched.rows.length > mostRows || touched.size > mostCharacters
  if (isMany && touched.mayForget) touched.rows = undefined
}

/**
 * What a write answers: its objects, and the entity tag that the write led to. Many are read again after the commit; one
 * that somebody else has removed in between is missing then.
 */
export function answerTouched(
  deps: Deps,
  target: Target,
  { ids, rows, created }: Touched,
  etag: string,
  context: Context,
): Promise<BytesAnswer> {
  if (rows) {
    const own = (kind: RowKind) => rows.filter((row) => row.kind === kind)
    return wholeAnswer(etag, setBytes(rowKinds.map((kind) => [kind, [own(kind)]])))
  }
  return openSnapshot(deps.bulk, context.signal, async (tx, signal) => {
    const again = (kind: RowKind) =>
      created
        ? readCreated(tx, kind, target, { ids: created, signal })
        : readAgain(tx, kind, target, ids[kind])
    const source = rowKinds.map((kind) => [kind, again(kind)] as const)
    return { head: { etag }, chunks: setBytes(source) }
  })
}

async function* readAgain(
  db: Kysely<AnnotationsDb>,
  kind: RowKind,
  target: Target,
  ids: readonly number[],
): AsyncGenerator<Row[]> {
  const size = kind === 'track' ? 100 : 1000
  for (let at = 0; at < ids.length; at += size) {
    const part = ids.slice(at, at + size)
    const found = await findObjects(db, kind, target, part)
    yield part.flatMap((id) => found.get(id)?.row ?? [])
  }
}
