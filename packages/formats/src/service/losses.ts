/** What of annotations the layouts of the native format do not hold, for the report of an export. */
import type { ItemShape, Run, Track } from '../model.ts'
import { isExact } from './written-number.ts'

/** Of `Service 1.1`, `Service for images 1.1` and `Service for video 1.1`. */
export type Layout = 'combined' | 'images' | 'video'

export interface Losses {
  ofShape(shape: ItemShape, path: string): void
  ofTrack(track: Track, id: number): void
  ofTag(path: string): void
}

export function newLosses(layout: Layout, { report }: Run): Losses {
  const flattened = new Set<number>()
  const noteRounded = (item: string): void =>
    report.note('converted', 'rounded', 'coordinates are written with two decimals', { item })
  return {
    ofShape(shape, path) {
      if (isRounded(shape) || shape.elements.some(isRounded)) noteRounded(path)
      if (shape.track_id === undefined && shape.score !== 1) {
        report.note('dropped', 'dropped-attribute', 'scores are not written', { item: path })
      }
      if (layout !== 'images' || shape.track_id === undefined) return
      if (flattened.has(shape.track_id)) return
      flattened.add(shape.track_id)
      const reason = 'tracks are written as shapes of their frames'
      report.note('converted', 'dropped-shape-type', reason, { item: path })
    },
    ofTrack(track, id) {
      const parts = [track, ...track.elements]
      if (parts.some(({ shapes }) => shapes.some(isRounded))) noteRounded(`track ${id}`)
    },
    ofTag(path) {
      const reason = 'Service for video 1.1 has no tags'
      report.note('dropped', 'dropped-shape-type', reason, { item: path })
    },
  }
}

interface Place {
  points: readonly number[]
  rotation: number
}

function isRounded({ points, rotation }: Place): boolean {
  return !isExact(rotation) || !points.every(isExact)
}
