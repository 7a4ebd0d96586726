import {
  decodeTrack,
  encodeRow,
  type Row,
  type RowKind,
  rowKinds,
  rowLinesHeader,
} from '@reticle/contracts/row-lines'
import { type BytesAnswer, type Context, DomainError } from '@reticle/kit'
import { copyOut } from '@reticle/kit/db/copy'
import type { Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { type Asked, ask, type SetQuery } from '../queries/asked.ts'
import { positionsJson } from '../queries/positions.ts'
import { keepTracks, lastFrameOf } from '../queries/tracks.ts'
import { annotationsTag } from '../targets/etags.ts'
import { findJobRows, type JobRows } from '../targets/job-rows.ts'
import { labelsOf } from '../targets/labels.ts'
import type { Target } from '../targets/target.ts'
import type { LabelIndex } from '../validation/labels.ts'
import { completeRows } from './complete.ts'
import { cutText, type InPieces, setBytes } from './json.ts'
import { readKind, selectRows, type TrackOrder } from './select.ts'
import { readFew } from './select-few.ts'
import { openSnapshot } from './snapshot.ts'

/**
 * What is asked of the annotation set of a target, with the entity tag of all of it (`spec/api-annotations.md` 1.9). A
 * small answer is made whole, a large one streams out of a snapshot.
 */
export async function readSet(
  deps: Deps,
  target: Target,
  query: SetQuery,
  context: Context,
): Promise<BytesAnswer> {
  assertHasData(target)
  const asked = await ask(deps, target, query, context)
  const few = await readFew(deps.db, target, asked)
  if (!few || isStale(target, [...few.states.values()])) {
    return streamSet(deps, target, asked, context)
  }
  const etag = annotationsTag(target, few.states)
  return wholeAnswer(etag, [Buffer.from(few.json)])
}

/** An answer that is in memory, its length known. */
export async function wholeAnswer(
  etag: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<BytesAnswer> {
  const body: Uint8Array[] = []
  for await (const piece of pieces) body.push(piece)
  const length = body.reduce((sum, piece) => sum + piece.length, 0)
  async function* chunks() {
    yield* body
  }
  return { head: { etag, length }, chunks: chunks() }
}

function streamSet(
  deps: Deps,
  target: Target,
  asked: Asked,
  context: Context,
): Promise<BytesAnswer> {
  return stream(deps, target, context, (snapshot) =>
    setBytes(
      rowKinds.map((kind) => [kind, readAsked(snapshot, kind, asked)]),
      tracksInPieces(target, asked),
    ),
  )
}

function readAsked(snapshot: Snapshot, kind: RowKind, asked: Asked): AsyncIterable<Row[]> {
  const rows = readCompleted(snapshot, kind, 'id', asked)
  const isChosen = asked.frames || asked.filter || asked.interpolation
  return kind === 'track' && isChosen ? keepTracks(rows, snapshot.target, asked) : rows
}

function tracksInPieces(target: Target, { interpolation }: Asked): InPieces | undefined {
  if (!interpolation) return undefined
  return ({ columns }) => {
    const track = decodeTrack(columns)
    return positionsJson(track, lastFrameOf(track, target), interpolation)
  }
}

/** Row lines of a target (`row-lines.ts`), in one snapshot. */
export function readLines(deps: Deps, target: Target, context: Context): Promise<BytesAnswer> {
  assertHasData(target)
  return stream(deps, target, context, lineBytes)
}

/** What `COPY` hands out are the lines already, unless tracks have to be joined or objects to be completed. */
async function* lineBytes(snapshot: Snapshot): AsyncGenerator<Uint8Array> {
  yield Buffer.from(rowLinesHeader)
  for (const kind of rowKinds) {
    const { tx, target, jobs, labels, signal } = snapshot
    if (kind !== 'track' && !labels) {
      yield* copyOut(tx, selectRows(tx, kind, target, jobs, 'frame'), { signal })
      continue
    }
    for await (const rows of readCompleted(snapshot, kind, 'frame')) {
      yield* cutText(rows.map(encodeRow).join(''))
    }
  }
}

interface Snapshot {
  tx: Transaction<AnnotationsDb>
  target: Target
  /** As the snapshot has them. */
  jobs: JobRows
  /** Set when some objects have to be completed. */
  labels: LabelIndex | undefined
  signal: AbortSignal
}

function stream(
  deps: Deps,
  target: Target,
  context: Context,
  write: (snapshot: Snapshot) => AsyncGenerator<Uint8Array>,
): Promise<BytesAnswer> {
  return openSnapshot(deps.bulk, context.signal, async (tx, signal) => {
    const jobs = await findJobRows(tx, target)
    const sizes = [...jobs.values()].map(({ labels_revision, tags, shapes, tracks }) => ({
      labels_revision,
      objects: tags + shapes + tracks,
    }))
    const labels = await staleLabels(deps, target, sizes, context)
    const chunks = write({ tx, target, jobs, labels, signal })
    return { head: { etag: annotationsTag(target, jobs) }, chunks }
  })
}

function readCompleted(
  { tx, target, jobs, labels, signal }: Snapshot,
  kind: RowKind,
  order: TrackOrder,
  asked?: Asked,
): AsyncIterable<Row[]> {
  const rows = readKind(tx, kind, target, { jobs, order, asked, signal })
  return labels ? completeRows(rows, labels) : rows
}

/** Today's labels, when something was stored under older ones. */
async function staleLabels(
  deps: Deps,
  target: Target,
  jobs: readonly Size[],
  context: Context,
): Promise<LabelIndex | undefined> {
  return isStale(target, jobs) ? labelsOf(deps, target, context) : undefined
}

interface Size {
  labels_revision: number
  objects: number
}

const isStale = (target: Target, jobs: readonly Size[]) =>
  jobs.some((one) => one.objects > 0 && one.labels_revision !== target.labels_revision)

function assertHasData({ jobs }: Target): void {
  if (jobs.length > 0) return
  const text = 'Exporting annotations from a task without data is not allowed'
  throw new DomainError('invalid', text)
}
