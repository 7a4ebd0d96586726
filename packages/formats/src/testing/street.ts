/** The project behind the shared export fixtures, as the CVAT server returned it (`facts.json`). */
import { existsSync, readFileSync } from 'node:fs'
import type { DatasetLabel, DatasetShape, DatasetTrack, ItemFrame } from '../model/dataset.ts'
import { framesOf, shapeOf } from './run.ts'

const fixtures = new URL('../../../../../shared/fixtures/', import.meta.url)

export const hasFixtures = existsSync(fixtures)

export const readFixture = (path: string): Buffer => readFileSync(new URL(path, fixtures))

interface Facts {
  labels: DatasetLabel[]
  tasks: Record<
    string,
    { size: number; annotations: { shapes: DatasetShape[]; tracks: DatasetTrack[] } }
  >
}

export interface StreetTask {
  labels: DatasetLabel[]
  frames: ItemFrame[]
  shapes: DatasetShape[]
  tracks: DatasetTrack[]
}

/** Returns the task of shapes without tags, or the task of tracks without its deleted frame. */
export function streetTask(name: 'Batch 1: shapes' | 'Batch 2: tracks'): StreetTask {
  const facts: Facts = JSON.parse(readFixture('exports/facts.json').toString())
  const { size = 0, annotations = { shapes: [], tracks: [] } } = facts.tasks[name] ?? {}
  const names = Array.from(
    { length: size },
    (_, index) => `street_${String(index).padStart(3, '0')}.jpg`,
  )
  const shapes = annotations.shapes.map((shape) => ellipseOfOurs(shapeOf(shape)))
  return {
    labels: facts.labels.toSorted((a, b) => a.id - b.id),
    frames: framesOf(names, 320, 240).filter(({ frame }) => size === 8 || frame !== 17),
    shapes: shapes.sort((a, b) => a.frame - b.frame),
    tracks: annotations.tracks.map(withKeyframes),
  }
}

/** CVAT stores only keyframes as shapes of a track. */
const withKeyframes = (track: DatasetTrack): DatasetTrack => ({
  ...track,
  shapes: track.shapes.map((shape) => ({ ...shape, keyframe: true })),
})

/** Converts an ellipse of CVAT, which stores the centre, the right x and the top y. */
function ellipseOfOurs(shape: DatasetShape): DatasetShape {
  const [cx = 0, cy = 0, right = 0, top = 0] = shape.points
  return shape.type === 'ellipse' ? { ...shape, points: [cx, cy, right - cx, cy - top] } : shape
}
