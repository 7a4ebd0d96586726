import {
  type AnnotationRow,
  decodeTrack,
  encodeRow,
  type RowKind,
  rowKinds,
  rowLinesHeader,
} from '@reticle/contracts/row-lines'
import { type BytesAnswer, type CallContext, DomainError } from '@reticle/kit'
import { WholeBytes } from '@reticle/kit/call/pieces'
import { copyOut } from '@reticle/kit/db/copy'
import type { Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { type AnnotationQuery, resolveQuery, type SetQuery } from '../queries/annotation-query.ts'
import { positionsJson } from '../queries/positions.ts'
import { keepTracks, lastFrameOf } from '../queries/tracks.ts'
import { annotationsTag, type Revisions } from '../targets/etags.ts'
import { hasNewerLabels, isStale } from '../targets/job-state.ts'
import { labelsOf } from '../targets/labels.ts'
import { findJobRows, noteLabels } from '../targets/repo.ts'
import { byLabels } from '../targets/repo-revisions.ts'
import type { AnnotationTarget } from '../targets/target.ts'
import type { LabelIndex } from '../validation/labels.ts'
import { completeRows } from './complete.ts'
import { cutText, type InPieces, setBytes } from './json.ts'
import { readKind } from './rows.ts'
import { isPlain, selectRows, type TrackOrder } from './store/select.ts'
import { readFew } from './store/select-few.ts'
import { openSnapshot } from './store/snapshot.ts'

/**
 * Returns the requested part of the annotation set of a target, with the entity tag of the whole set. A small
 * response is built in memory, a large one is streamed from a snapshot.
 */
export async function readSet(
  deps: Deps,
  target: AnnotationTarget,
  query: SetQuery,
  context: CallContext,
): Promise<BytesAnswer> {
  assertHasData(target)
  const selection = await resolveQuery(deps, target, query, context)
  const few = await readFew(deps.db, target, selection)
  if (!few || isAnyStale(target, few.states)) {
    return streamSet(deps, target, selection, context)
  }
  const etag = annotationsTag(target, few.states)
  return wholeAnswer(etag, [Buffer.from(few.json)])
}

/** Builds a response in memory, with a known length. */
export async function wholeAnswer(
  etag: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<BytesAnswer> {
  const body: Uint8Array[] = []
  for await (const piece of pieces) body.push(piece)
  const length = body.reduce((sum, piece) => sum + piece.length, 0)
  return { head: { etag, length }, chunks: new WholeBytes(body) }
}

function streamSet(
  deps: Deps,
  target: AnnotationTarget,
  selection: AnnotationQuery,
  context: CallContext,
): Promise<BytesAnswer> {
  return stream(deps, target, context, (snapshot) =>
    setBytes(
      rowKinds.map((kind) => [kind, readSelected(snapshot, kind, selection)]),
      tracksInPieces(target, selection),
    ),
  )
}

function readSelected(
  snapshot: Snapshot,
  kind: RowKind,
  selection: AnnotationQuery,
): AsyncIterable<AnnotationRow[]> {
  const rows = readCompleted(snapshot, kind, 'id', selection)
  const isChosen = selection.frames || selection.filter || selection.interpolation
  return kind === 'track' && isChosen ? keepTracks(rows, snapshot.target, selection) : rows
}

function tracksInPieces(
  target: AnnotationTarget,
  { interpolation }: AnnotationQuery,
): InPieces | undefined {
  if (!interpolation) return undefined
  return ({ columns }) => {
    const track = decodeTrack(columns)
    return positionsJson(track, lastFrameOf(target), interpolation)
  }
}

/** Streams the row lines of a target (`contracts/src/row-lines.ts`) from one snapshot. */
export function readLines(
  deps: Deps,
  target: AnnotationTarget,
  context: CallContext,
): Promise<BytesAnswer> {
  assertHasData(target)
  return stream(deps, target, context, lineBytes)
}

/** The output of `COPY` is already the result unless objects have to be merged or completed. */
async function* lineBytes(snapshot: Snapshot): AsyncGenerator<Uint8Array> {
  yield Buffer.from(rowLinesHeader)
  for (const kind of rowKinds) {
    const { tx, target, labels, signal } = snapshot
    if (isPlain(kind, target) && !labels) {
      yield* copyOut(tx, selectRows(tx, kind, target, 'frame'), { signal })
      continue
    }
    for await (const rows of readCompleted(snapshot, kind, 'frame')) {
      yield* cutText(rows.map(encodeRow).join(''))
    }
  }
}

interface Snapshot {
  tx: Transaction<AnnotationsDb>
  target: AnnotationTarget
  /** Set when some objects have to be completed. */
  labels: LabelIndex | undefined
  signal: AbortSignal
}

async function stream(
  deps: Deps,
  target: AnnotationTarget,
  context: CallContext,
  write: (snapshot: Snapshot) => AsyncGenerator<Uint8Array>,
): Promise<BytesAnswer> {
  await noteWhereNewer(deps, target)
  return openSnapshot(deps.bulk, context.signal, async (tx, signal) => {
    const jobs = await findJobRows(tx, target)
    const labels = isAnyStale(target, jobs) ? await labelsOf(deps, target, context) : undefined
    const chunks = write({ tx, target, labels, signal })
    return { head: { etag: annotationsTag(target, jobs) }, chunks }
  })
}

async function noteWhereNewer({ db, settings }: Deps, target: AnnotationTarget): Promise<void> {
  const jobs = [...(await findJobRows(db, target)).values()]
  if (!jobs.some((job) => hasNewerLabels(target, job))) return
  await noteLabels(db, target, byLabels(settings))
}

function readCompleted(
  { tx, target, labels, signal }: Snapshot,
  kind: RowKind,
  order: TrackOrder,
  selection?: AnnotationQuery,
): AsyncIterable<AnnotationRow[]> {
  const rows = readKind(tx, kind, target, { order, selection, signal })
  return labels ? completeRows(rows, labels) : rows
}

/** Whether some rows have to be completed with the current labels. */
const isAnyStale = (target: AnnotationTarget, jobs: Revisions) =>
  [...jobs.values()].some((job) => isStale(target, job))

function assertHasData({ jobs }: AnnotationTarget): void {
  if (jobs.length > 0) return
  const text = 'Exporting annotations from a task without data is not allowed'
  throw new DomainError('invalid', text)
}
