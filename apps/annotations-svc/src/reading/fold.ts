import { type AnnotationRow, decodeTrack, trackText } from '@reticle/contracts/row-lines'
import { foldsOf } from '../layout/folds.ts'
import { type Folded, foldFrame, type JobObjectRow } from '../layout/frames.ts'
import { joinPieces } from '../layout/join.ts'
import { openComparer } from '../layout/similar.ts'
import { type AnnotationTarget, isSpatial, jobsOfFrame } from '../targets/target.ts'
import type { PieceRow } from './lines.ts'
import { latinRow } from './objects.ts'

/**
 * Merges tags or shapes of jobs into those of their task (docs/spec/annotations.md#task-level). Rows come by frame,
 * then by job; rows of a shared frame are held until it is complete.
 */
export async function* foldRows(
  batches: AsyncIterable<JobObjectRow[]>,
  target: AnnotationTarget,
): AsyncGenerator<Folded[]> {
  const comparer = openComparer(isSpatial(target))
  const pending: { frame?: string | undefined; isShared: boolean; rows: JobObjectRow[] } = {
    isShared: false,
    rows: [],
  }
  const take = (row: JobObjectRow): Folded[] => {
    const [frame] = row.columns
    const done = pending.frame === frame ? [] : foldFrame(pending.rows.splice(0), comparer)
    if (pending.frame !== frame) pending.isShared = jobsOfFrame(target, Number(frame)).length > 1
    pending.frame = frame
    if (!pending.isShared) return [...done, { row, members: [row] }]
    pending.rows.push(row)
    return done
  }
  for await (const batch of batches) {
    const objects = batch.flatMap(take)
    if (objects.length > 0) yield objects
  }
  if (pending.rows.length > 0) yield foldFrame(pending.rows, comparer)
}

/** Joins the pieces of each track of a task. Pieces of a track are consecutive and may span two batches. */
export async function* joinRows(
  batches: AsyncIterable<PieceRow[]>,
  target: AnnotationTarget,
): AsyncGenerator<AnnotationRow[]> {
  const join = openJoiner(target)
  let open: PieceRow[] = []
  for await (const batch of batches) {
    const joined: AnnotationRow[] = []
    for (const row of batch) {
      if (open[0] && open[0].leader !== row.leader) {
        joined.push(join(open))
        open = []
      }
      open.push(row)
    }
    if (joined.length > 0) yield joined
  }
  if (open.length > 0) yield [join(open)]
}

/** Returns a function that joins the pieces of a track to one row, earlier jobs first. */
export function openJoiner(
  target: AnnotationTarget,
): (pieces: readonly PieceRow[]) => AnnotationRow {
  const folds = foldsOf(target)
  const indexOf = new Map(folds.map(({ job }, index) => [job.id, index]))
  const isOver = ({ job_id, stop_frame }: PieceRow) => {
    const at = indexOf.get(job_id) ?? 0
    return at === folds.length - 1 || stop_frame < (folds[at]?.job.stop_frame ?? 0)
  }
  return (pieces) => {
    const [first] = pieces
    if (first && pieces.length === 1 && isOver(first)) return first
    const tracks = pieces.map(({ job_id, columns }) => ({
      at: indexOf.get(job_id) ?? 0,
      track: decodeTrack(columns),
    }))
    return latinRow('track', trackText(joinPieces(tracks, folds)))
  }
}
