/** Converts stored annotations to the items of frames (docs/spec/formats.md#interpolation). */
import { orderCorners, trackStates } from '@reticle/geometry'
import type {
  AttributeValue,
  DatasetItem,
  DatasetShape,
  DatasetTag,
  DatasetTrack,
  DatasetTrackShape,
  ItemFrame,
  ItemShape,
} from '../model/dataset.ts'
import { createPackedShapes } from './packed-shapes.ts'

/**
 * Annotations of one task, each kind ascending by its first frame. Tags and shapes come in batches, because there may
 * be millions.
 */
export interface AnnotationStreams {
  tags: AsyncIterable<readonly DatasetTag[]> | Iterable<readonly DatasetTag[]>
  shapes: AsyncIterable<readonly DatasetShape[]> | Iterable<readonly DatasetShape[]>
  tracks: AsyncIterable<DatasetTrack> | Iterable<DatasetTrack>
}

export interface ItemOptions {
  /** Index of `frames[0]` in its subset (default 0). */
  firstIndex?: number
  /** First `track_id` (default 0): a project continues the numbers over its tasks. */
  firstTrackId?: number
  /** Whether cuboids are those of point clouds. */
  is3d?: boolean
}

/**
 * Yields the items of one task in frame order: tags, shapes, and every visible track at its interpolated position.
 * Only tracks that have started are held in memory. Annotations on frames that are not in `frames` are left out, but
 * their keyframes affect interpolation: deleting a frame changes nothing on other frames.
 * @param frames Ascending by `frame`.
 */
export async function* itemsOf(
  frames: readonly ItemFrame[],
  streams: AnnotationStreams,
  options: ItemOptions = {},
): AsyncGenerator<DatasetItem> {
  const tags = reader(streams.tags)
  const shapes = reader(streams.shapes)
  const tracks = reader(heldTracks(streams.tracks))
  const last = frames.at(-1)?.frame ?? -1
  const walkers: Walker[] = []
  let trackId = options.firstTrackId ?? 0
  try {
    for (const [offset, { frame }] of frames.entries()) {
      for (const track of await tracks.upTo(frame)) {
        walkers.push(startWalk(track, trackId, { first: frame, last, ...options }))
        trackId += 1
      }
      const item = {
        index: (options.firstIndex ?? 0) + offset,
        tags: await tags.upTo(frame, frame),
        shapes: [
          ...(await shapes.upTo(frame, frame)).map(withOrderedCorners),
          ...walkers.flatMap((walker) => walker.at(frame) ?? []).map(withOrderedCorners),
        ],
      }
      dropEnded(walkers)
      if (item.tags.length > 0 || item.shapes.length > 0) yield item
    }
  } finally {
    await Promise.all([tags.close(), shapes.close(), tracks.close()])
  }
}

/** Normalizes boxes, whose corners are stored as drawn, to left, top, right, bottom. */
function withOrderedCorners<S extends DatasetShape>(shape: S): S {
  const { type, points, elements } = shape
  if (type === 'rectangle') {
    const ordered = orderCorners(points)
    return ordered === points ? shape : { ...shape, points: ordered }
  }
  const hasBoxes = elements.some((element) => element.type === 'rectangle')
  return hasBoxes ? { ...shape, elements: elements.map(withOrderedCorners) } : shape
}

interface Reader<T> {
  /** Returns unread elements that begin at or before `frame`; those that begin before `from` are dropped. */
  upTo(frame: number, from?: number): Promise<T[]>
  /** Closes the stream, even before its end. */
  close(): Promise<void>
}

function reader<T extends { frame: number }>(
  stream: AsyncIterable<readonly T[]> | Iterable<readonly T[]>,
): Reader<T> {
  const iterator =
    Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]()
  let batch: readonly T[] = []
  let next = 0
  let isDone = false
  return {
    async upTo(frame, from = 0) {
      const found: T[] = []
      while (!isDone) {
        for (; next < batch.length; next += 1) {
          const one = batch[next]
          if (!one || one.frame > frame) return found
          if (one.frame >= from) found.push(one)
        }
        const { done, value } = await iterator.next()
        isDone = done === true
        batch = value ?? []
        next = 0
      }
      return found
    },
    async close() {
      if (!isDone) await iterator.return?.()
    },
  }
}

interface Walker {
  /** Returns the shape on a frame, undefined while hidden; frames must ascend between calls. */
  at(frame: number): ItemShape | undefined
  /** Returns whether no later frame can have a shape. */
  hasEnded(): boolean
}

function dropEnded(walkers: Walker[]): void {
  if (!walkers.some((walker) => walker.hasEnded())) return
  walkers.splice(0, walkers.length, ...walkers.filter((walker) => !walker.hasEnded()))
}

interface WalkOptions extends ItemOptions {
  first: number
  last: number
}

function startWalk(track: HeldTrack, trackId: number, options: WalkOptions): Walker {
  const stop = Math.min(options.last, track.stop_frame ?? options.last)
  const stateOf = statesOf(track, stop, options)
  const elements = track.elements.map((element) => ({
    element,
    stateOf: statesOf(element, stop, options),
  }))
  let reached = options.first
  return {
    hasEnded: () => reached >= Math.min(stop, track.hiddenBehind ?? stop),
    at(frame) {
      reached = frame
      const state = stateOf(frame)
      const parts = elements.flatMap(({ element, stateOf: partOf }) => {
        const part = partOf(frame)
        return part ? [shapeOf(element, part, [])] : []
      })
      if (!state || state.outside) return undefined
      return { ...shapeOf(track, state, parts), track_id: trackId, keyframe: state.keyframe }
    },
  }
}

/** Returns a function that gives the state on a frame; frames must ascend between calls, with gaps allowed. */
function statesOf(
  { shapes }: HeldTrack,
  stop: number,
  { is3d = false }: WalkOptions,
): (frame: number) => DatasetTrackShape | undefined {
  const stateOf = trackStates(withInherited(shapes), { is3d })
  return (frame) => (frame > stop ? undefined : stateOf(frame))
}

/** A track that is held from its first frame to its last. */
interface HeldTrack extends Omit<DatasetTrack, 'shapes' | 'elements'> {
  shapes: Iterable<DatasetTrackShape>
  /** Frame after which it stays hidden; undefined when it is visible at its end. */
  hiddenBehind: number | undefined
  elements: HeldTrack[]
}

async function* heldTracks(tracks: AnnotationStreams['tracks']): AsyncGenerator<HeldTrack[]> {
  for await (const track of tracks) yield [heldTrack(track)]
}

function heldTrack({ shapes, elements, ...track }: DatasetTrack): HeldTrack {
  const isHidden = shapes.findLast((shape) => shape.keyframe)?.outside === true
  return {
    ...track,
    shapes: heldShapes(shapes),
    hiddenBehind: isHidden ? shapes.at(-1)?.frame : undefined,
    elements: elements.map(heldTrack),
  }
}

/** Packs many shapes as plain numbers. */
function heldShapes(shapes: readonly DatasetTrackShape[]): Iterable<DatasetTrackShape> {
  if (shapes.length < 256) return shapes
  const packed = createPackedShapes({ blockLength: 4096 })
  const first = shapes.reduceRight((next, shape) => packed.add(shape, next), -1)
  return {
    *[Symbol.iterator]() {
      for (let at = first; at >= 0; at = packed.before(at)) yield packed.read(at)
    },
  }
}

/** Adds the attribute values that keyframes inherit from the previous one. */
function withInherited(shapes: Iterable<DatasetTrackShape>): Iterable<DatasetTrackShape> {
  return {
    *[Symbol.iterator]() {
      const known = new Map<number, AttributeValue>()
      for (const shape of shapes) {
        for (const value of shape.attributes) known.set(value.spec_id, value)
        yield { ...shape, attributes: [...known.values()] }
      }
    },
  }
}

function shapeOf(
  track: DatasetTag,
  state: DatasetTrackShape,
  elements: DatasetShape[],
): DatasetShape {
  return {
    type: state.type,
    frame: state.frame,
    points: state.points,
    occluded: state.occluded,
    outside: state.outside,
    z_order: state.z_order,
    rotation: state.rotation,
    score: 1,
    label_id: track.label_id,
    group: track.group,
    source: track.source,
    attributes: [...track.attributes, ...state.attributes],
    elements,
  }
}
