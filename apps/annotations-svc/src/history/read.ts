import { rowKinds } from '@reticle/contracts/row-lines'
import type { BytesAnswer, CallContext } from '@reticle/kit'
import type { Deps } from '../deps.ts'
import { resolveQuery, type SetQuery } from '../queries/annotation-query.ts'
import { completeRows } from '../reading/complete.ts'
import { setBytes } from '../reading/json.ts'
import { openSnapshot } from '../reading/store/snapshot.ts'
import { labelsOf } from '../targets/labels.ts'
import type { AnnotationTarget } from '../targets/target.ts'
import type { LabelIndex } from '../validation/labels.ts'
import { diffBytes } from './store/diff.ts'
import { findReadableRevision, type ReadableRevision } from './store/revisions.ts'
import { readAt } from './store/state.ts'

/**
 * Streams the requested part of the set that a job had at a revision, completed with the current labels, from one
 * snapshot.
 *
 * @throws DomainError not_found, gone `revision_expired`
 */
export async function readRevision(
  deps: Deps,
  target: AnnotationTarget,
  { revision, ...query }: { revision: number } & Pick<SetQuery, 'frames' | 'label_id'>,
  context: CallContext,
): Promise<BytesAnswer> {
  const selection = await resolveQuery(deps, target, query, context)
  return openSnapshot(deps.bulk, context.signal, async (tx, signal) => {
    const readable = await findReadableRevision(tx, target, revision)
    const labels = await labelsNeeded(deps, target, [readable], context)
    const source = rowKinds.map((kind) => {
      const rows = readAt(tx, kind, readable, { target, selection, signal })
      return [kind, labels ? completeRows(rows, labels) : rows] as const
    })
    return { head: {}, chunks: setBytes(source) }
  })
}

/**
 * Streams the changes to a job between two of its revisions.
 *
 * @param given.to default: the newest
 * @throws DomainError not_found, gone `revision_expired`
 */
export function readDiff(
  deps: Deps,
  target: AnnotationTarget,
  given: { from: number; to?: number | undefined },
  context: CallContext,
): Promise<BytesAnswer> {
  return openSnapshot(deps.bulk, context.signal, async (tx, signal) => {
    const from = await findReadableRevision(tx, target, given.from)
    const to = await findReadableRevision(tx, target, given.to)
    const labels = await labelsNeeded(deps, target, [from, to], context)
    return { head: {}, chunks: diffBytes(tx, { from, to, labels, signal }) }
  })
}

/** Reads the current labels if a revision was stored under older ones. */
async function labelsNeeded(
  deps: Deps,
  target: AnnotationTarget,
  revisions: readonly ReadableRevision[],
  context: CallContext,
): Promise<LabelIndex | undefined> {
  const isStale = revisions.some((one) => one.labels_revision !== target.labels_revision)
  return isStale ? labelsOf(deps, target, context) : undefined
}
