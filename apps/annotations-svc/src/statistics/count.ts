import type { FrameSpan } from '@reticle/contracts/rest/annotation-query'
import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import type { TaskExtent } from '@reticle/contracts/rest/facts'
import { type AnnotationRow, decodeTrack, rowKinds } from '@reticle/contracts/row-lines'
import type { Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import { lastFrameOf, visibleSpans } from '../queries/tracks.ts'
import { readKind } from '../reading/rows.ts'
import { type AnnotationTarget, isSequence } from '../targets/target.ts'
import { addObjects, newCounts, type StatisticsCounts } from './counts.ts'
import { type Scope, targetOf } from './scope.ts'
import { readColumns, visibleElement } from './store/select.ts'

type Tx = Transaction<AnnotationsDb>

/** A task that is being counted. */
interface Open {
  target: AnnotationTarget
  frames: FrameMarks
}

interface Counting {
  tx: Tx
  signal: AbortSignal
  counts: StatisticsCounts
}

/** Counts the objects of a scope as `tx` sees them, many tasks at a time. */
export async function countScope(
  tx: Tx,
  scope: Scope,
  signal: AbortSignal,
): Promise<StatisticsCounts> {
  const counting = { tx, signal, counts: newCounts() }
  for (const tasks of portionsOf(scope.tasks)) {
    const open = tasks.map((task) => ({
      target: targetOf(scope, task),
      frames: openFrames(scope, task),
    }))
    const filled = open.filter(({ target }) => target.jobs.length > 0)
    const plain = filled.filter(({ target }) => isSequence(target))
    if (plain.length > 0) await countPlain(counting, plain)
    for (const one of filled) if (!plain.includes(one)) await countShared(counting, one)
    for (const { frames } of open) {
      const sum = frames.count()
      counting.counts.frames.total += sum.total
      counting.counts.frames.annotated += sum.annotated
      counting.counts.frames.deleted += sum.deleted
    }
  }
  return counting.counts
}

/** Maximum numbers of tasks and frames that are counted together; a task with more frames is counted alone. */
const mostTasks = 500
const mostFrames = 16_000_000

function* portionsOf(tasks: readonly TaskExtent[]): Generator<TaskExtent[]> {
  let portion: TaskExtent[] = []
  let frames = 0
  for (const task of tasks) {
    frames += task.size
    if (portion.length === mostTasks || (frames > mostFrames && portion.length > 0)) {
      yield portion
      portion = []
      frames = task.size
    }
    portion.push(task)
  }
  if (portion.length > 0) yield portion
}

/** Counts tasks whose jobs share no frames: only tracks span jobs, in pieces. */
async function countPlain(counting: Counting, tasks: readonly Open[]): Promise<void> {
  const { tx, signal, counts } = counting
  const targets = tasks.map((one) => one.target)
  const byId = new Map(tasks.map((one) => [one.target.task_id, one]))
  for (const kind of ['tag', 'shape'] as const) {
    for await (const rows of readColumns(tx, kind, targets, signal)) {
      for (const [label, type, source, task, at, count, isVisible] of rows) {
        const alike = { kind, label_id: Number(label), type: Number(type), source: Number(source) }
        addObjects(counts, alike, Number(count))
        const frame = Number(at)
        if (isVisible === 't') byId.get(Number(task))?.frames.mark({ first: frame, last: frame })
      }
    }
  }
  await countPieces(counting, byId)
}

async function countPieces(
  { tx, signal, counts }: Counting,
  byId: ReadonlyMap<number, Open>,
): Promise<void> {
  const targets = [...byId.values()].map((one) => one.target)
  let whole = ''
  let keyframes = new Set<number>()
  for await (const rows of readColumns(tx, 'track', targets, signal)) {
    for (const [task, origin, job, label, source, shapes, elements] of rows) {
      if (whole !== `${task} ${origin}`) {
        whole = `${task} ${origin}`
        keyframes = new Set()
        addObjects(counts, { kind: 'track', label_id: Number(label), source: Number(source) }, 1)
      }
      const open = byId.get(Number(task))
      const range = open?.target.jobs.find((one) => one.id === Number(job))
      if (!open || !range) continue
      const parts: Parts = {
        shapes: JSON.parse(shapes || '[]'),
        elements: JSON.parse(elements || '[]'),
      }
      markTrack(open.frames, parts, range.stop_frame)
      counts.objects.track_keyframes += addKeyframes(keyframes, parts)
    }
  }
}

/** Counts a task whose jobs share frames on the merged objects, so that an object in two jobs counts once. */
async function countShared(
  { tx, signal, counts }: Counting,
  { target, frames }: Open,
): Promise<void> {
  for (const kind of rowKinds) {
    for await (const rows of readKind(tx, kind, target, { order: 'id', signal })) {
      for (const row of rows) {
        addObjects(counts, alikeOf(row), 1)
        if (kind === 'track') {
          const track = decodeTrack(row.columns)
          markTrack(frames, track, lastFrameOf(target))
          counts.objects.track_keyframes += addKeyframes(new Set(), track)
        } else if (kind === 'tag' || isVisible(row)) {
          const frame = Number(row.columns[0])
          frames.mark({ first: frame, last: frame })
        }
      }
    }
  }
}

function alikeOf({ kind, columns }: AnnotationRow) {
  const label_id = Number(columns[1])
  if (kind !== 'shape') return { kind, label_id, source: Number(columns[4]) }
  return { kind, label_id, type: Number(columns[7]), source: Number(columns[8]) }
}

function isVisible({ columns }: AnnotationRow): boolean {
  const [outside, elements] = [columns[10], columns[13]]
  return outside === 'f' && (!elements || elements.includes(visibleElement))
}

type Parts = Pick<Track, 'shapes'> & { elements: readonly { shapes: TrackShape[] }[] }

/** A skeleton is visible where one of its elements is. */
function markTrack(frames: FrameMarks, { shapes, elements }: Parts, last: number): void {
  const parts = elements.length > 0 ? elements.map((one) => one.shapes) : [shapes]
  for (const part of parts) {
    for (const span of visibleSpans(part, last)) frames.mark(span)
  }
}

/**
 * Adds keyframes and returns how many are new. Parts of a track, and pieces on shared frames, may have keyframes on
 * the same frame.
 */
function addKeyframes(known: Set<number>, { shapes, elements }: Parts): number {
  const before = known.size
  for (const part of [shapes, ...elements.map((one) => one.shapes)]) {
    for (const { frame, keyframe } of part) if (keyframe) known.add(frame)
  }
  return known.size - before
}

/** Frames of one task as one byte per frame, because a track marks thousands at once. */
interface FrameMarks {
  mark: (span: FrameSpan) => void
  /** Counts of the frames in the scope. */
  count: () => { total: number; annotated: number; deleted: number }
}

function openFrames(
  scope: Pick<Scope, 'kind'>,
  { size, jobs, frames, deleted }: TaskExtent,
): FrameMarks {
  const deletions = new Uint8Array(size)
  for (const { start, stop } of deleted) deletions.fill(1, start, stop + 1)
  const marked = new Uint8Array(size)
  const [job] = jobs
  const isIn = (frame: number) =>
    scope.kind !== 'job' || (job && job.start_frame <= frame && frame <= job.stop_frame)
  const count = () => {
    const sum = { total: 0, annotated: 0, deleted: 0 }
    const add = (frame: number) => {
      sum.total += 1
      if (deletions[frame]) sum.deleted += 1
      else if (marked[frame]) sum.annotated += 1
    }
    if (frames.length > 0) frames.forEach(add)
    else for (let frame = 0; frame < size; frame++) if (isIn(frame)) add(frame)
    return sum
  }
  return {
    mark: ({ first, last }) => marked.fill(1, first, last + 1),
    count,
  }
}
