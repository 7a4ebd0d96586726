import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import type { JobRange } from '@reticle/contracts/rest/facts'
import { trackAt } from '@reticle/geometry'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jobRange } from '../testing/workspace.ts'
import { normalizeTrack } from '../validation/normalize.ts'
import { firstSeen } from '../validation/visible.ts'
import { cutTrack } from './cut.ts'
import { foldsOf } from './folds.ts'
import { joinPieces } from './join.ts'

/** How a track is cut into the jobs of a task and joined again: docs/spec/annotations.md#task-level */

const overlapping = jobsOf([0, 4], [3, 7], [6, 9])
const following = jobsOf([0, 4], [5, 9])

describe('a track with keyframes at 0 and 9', () => {
  test.each([
    ['a rectangle', overlapping, 'rectangle', '0 4 / 3 7 / 6 9', '0 3 4 6 7 9'],
    ['a rectangle', following, 'rectangle', '0 4 / 5 9', '0 4 5 9'],
    ['a polyline', overlapping, 'polyline', '0 4 / 3 7 / 6 9', '0 3 4 6 7 9'],
    ['a polyline', following, 'polyline', '0 4 / 5 9', '0 4 5 9'],
  ] as const)('%s is cut and joined at the borders of %j', (_, jobs, type, cut, joined) => {
    const whole = track([shape(0, { type }), shape(9, { type, points: [90, 0, 91, 1] })])
    expect(cutInto(whole, jobs)).toBe(cut)
    expect(framesOf(rejoined(whole, jobs))).toBe(joined)
  })
})

describe('a piece', () => {
  test('a piece begins and ends with interpolated positions', () => {
    const attributes = [{ spec_id: 90, value: 'red' }]
    const left = shape(0, { points: [0, 0, 10, 10], rotation: 350, occluded: true, attributes })
    const right = shape(9, { points: [90, 0, 100, 10], rotation: 8, z_order: 5 })
    const [, middle] = cut(track([left, right]), overlapping)
    expect(middle?.frame).toBe(3)
    expect(middle?.shapes).toEqual([
      { ...left, frame: 3, points: [30, 0, 40, 10], rotation: 356 },
      { ...left, frame: 7, points: [70, 0, 80, 10], rotation: 4 },
    ])
  })

  test.each([
    ['that moves no more', [shape(1), shape(2, { points: [5, 5, 6, 6] })], '1 2 / 3 / 6'],
    ['that stands where it will', [shape(1), shape(9)], '1 / 3 / 6 9'],
    ['that is hidden at first', [shape(0, hidden), shape(2), shape(3, hidden)], '0x 2 3x'],
    ['that is hidden at first and then not', [shape(0, hidden), shape(2)], '2 / 3 / 6'],
    ['that ends between', [shape(1), shape(4, hidden)], '1 4x / 3 4x'],
    ['that ends behind the border', [shape(1), shape(5, hidden)], '1 / 3 5x'],
    ['that ends and comes back', [shape(1), shape(2, hidden), shape(8)], '1 2x / 8'],
    ['that is hidden for long', [shape(1, hidden), shape(8, hidden)], '1x 8x'],
    ['of the last job', [shape(8), shape(9)], '8 9'],
  ] as const)('a track %s is cut correctly', (_, shapes, expected) => {
    expect(cutInto(track(shapes), overlapping)).toBe(expected)
  })

  test('a computed end does not overwrite a position that is not a keyframe', () => {
    const stray = (frame: number) => shape(frame, { points: [7, 7, 8, 8], keyframe: false })
    const moving = [shape(0), stray(4), stray(5), stray(6), shape(9, { points: [9, 0, 10, 1] })]
    const [first, second] = cut(track(moving), following)
    expect(flagsOf(first)).toEqual(['0', '3', '4-'])
    expect(flagsOf(second)).toEqual(['5-', '6-', '7', '9'])
  })

  test('a piece of a track with a keyframe beyond all jobs ends with its job', () => {
    const whole = track([shape(3), shape(23, { points: [200, 0, 201, 1] })])
    expect(cutInto(whole, jobsOf([0, 9]))).toBe('3 9')
    expect(cut(whole, jobsOf([0, 9]))[0]?.shapes[1]?.points).toEqual([60, 0, 61, 1])
  })

  test('a piece of a cuboid in a point cloud interpolates angles along the shorter arc', () => {
    const cuboid = (frame: number, angle: number) =>
      shape(frame, { type: 'cuboid', points: [0, 0, 0, 0, 0, angle, 1, 1, 1, ...Array(7).fill(0)] })
    const whole = track([cuboid(0, 3), cuboid(8, -3)])
    const angleOf = (is3d: boolean) =>
      cutTrack(whole, { jobs: jobsOf([0, 4], [5, 9]), dimension: is3d ? '3d' : '2d' })[0]?.track
        .shapes[1]?.points[5]
    expect(angleOf(true)).toBeCloseTo(Math.PI)
    expect(angleOf(false)).toBeCloseTo(0)
  })

  test('hidden joints stay hidden across a border, and others keep moving', () => {
    const head = [shape(0), shape(3, hidden), shape(8)]
    const foot = [shape(0), shape(9, { points: [9, 9, 10, 10] })]
    const person = skeleton(0, [head, foot])
    const [first, second] = cut(person, following)
    expect(first?.elements.map(framesOf)).toEqual(['0 3x', '0 4'])
    expect(second?.elements.map(framesOf)).toEqual(['5x 8', '5 9'])
    expect([framesOf(first), framesOf(second)]).toEqual(['0', '5'])
    const whole = rejoined(person, following)
    expect(whole.elements.map(framesOf)).toEqual(['0 3x 5x 8', '0 4 5 9'])
  })

  test('a piece of a skeleton exists where any joint is visible', () => {
    const person = skeleton(1, [
      [shape(1), shape(2, hidden)],
      [shape(1, hidden), shape(6), shape(7, hidden)],
    ])
    expect(cut(person, jobsOf([0, 4], [5, 9], [10, 14])).map((one) => one.frame)).toEqual([1, 6])
  })
})

describe('pieces joined again', () => {
  test('a track without a piece in the next job is hidden there, with its joints', () => {
    const person = skeleton(0, [[shape(0), shape(2, hidden)], [shape(0)]])
    const whole = joinPieces([{ at: 0, track: person }], foldsOf({ jobs: following }))
    expect([framesOf(whole), ...whole.elements.map(framesOf)]).toEqual(['0 5x', '0 2x', '0 5x'])
    const shapes = [shape(0), { ...shape(3), keyframe: false, points: [7, 7, 8, 8] }]
    const [last] = joinPieces(
      [{ at: 0, track: track(shapes) }],
      foldsOf({ jobs: following }),
    ).shapes.slice(-1)
    expect(last).toEqual({ ...shape(0, hidden), frame: 5 })
  })

  test('a joint that one job created again is joined by its label', () => {
    const person = (frame: number, id: number) => ({
      ...skeleton(frame, [[shape(frame)]]),
      elements: [{ ...skeleton(frame, [[shape(frame)]]).elements[0], id }],
    })
    const pieces = [person(0, 5), person(5, 77)].map((one, at) => ({ at, track: one as Track }))
    const { elements } = joinPieces(pieces, foldsOf({ jobs: following }))
    expect(elements.map((one) => [one.id, framesOf(one)])).toEqual([[5, '0 5']])
  })

  test('every track has the same position on every frame after cutting and joining', () => {
    fc.assert(
      fc.property(anyTrack, anyJobs, (given, jobs) => {
        const stop = jobs.at(-1)?.stop_frame ?? 0
        const whole = rejoined(given, jobs)
        for (let frame = 0; frame <= stop; frame += 1) {
          expect(positionsAt(whole, frame)).toEqual(positionsAt(given, frame))
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('a track has pieces in the jobs where it is visible, and cutting a joined track changes nothing', () => {
    fc.assert(
      fc.property(anyTrack, anyJobs, (given, jobs) => {
        const seen = jobs.filter(
          (job) => firstSeen(given, job.start_frame, job.stop_frame) !== undefined,
        )
        const pieces = cutTrack(given, { jobs, dimension: '2d' })
        if (seen.length > 0) expect(pieces.map((one) => one.job)).toEqual(seen)
        const whole = rejoined(given, jobs)
        if (seen.length > 0) expect(rejoined(whole, jobs)).toEqual(whole)
      }),
      { numRuns: 1000 },
    )
  })
})

// ---- support

const hidden = { outside: true }

function jobsOf(...ranges: [number, number][]): JobRange[] {
  return ranges.map(([start, stop], index) => jobRange(index + 1, start, stop))
}

function shape(frame: number, given: Partial<TrackShape> = {}): TrackShape {
  return {
    ...{ id: null, type: 'rectangle', frame, keyframe: true, points: [0, 0, 1, 1], rotation: 0 },
    ...{ occluded: false, outside: false, z_order: 0, attributes: [] },
    ...given,
  }
}

const plain = { group: 0, source: 'manual' as const, attributes: [] }

function track(shapes: readonly TrackShape[]): Track {
  return {
    ...plain,
    id: null,
    frame: shapes[0]?.frame ?? 0,
    label_id: 40,
    shapes: [...shapes],
    elements: [],
  }
}

function skeleton(frame: number, elements: TrackShape[][]): Track {
  return {
    ...track([shape(frame, { type: 'skeleton', points: [] })]),
    elements: elements.map((shapes, index) => ({
      ...plain,
      id: null,
      frame,
      label_id: 50 + index,
      shapes,
    })),
  }
}

const cut = (whole: Track, jobs: readonly JobRange[]) =>
  cutTrack(whole, { jobs, dimension: '2d' }).map((one) => one.track)

const framesOf = (part: { shapes: TrackShape[] } | undefined) =>
  part?.shapes.map(({ frame, outside }) => `${frame}${outside ? 'x' : ''}`).join(' ')

const flagsOf = (part: Track | undefined) =>
  part?.shapes.map(({ frame, keyframe }) => `${frame}${keyframe ? '' : '-'}`)

const cutInto = (whole: Track, jobs: readonly JobRange[]) =>
  cut(whole, jobs).map(framesOf).join(' / ')

function rejoined(whole: Track, jobs: readonly JobRange[]): Track {
  const pieces = cutTrack(whole, { jobs, dimension: '2d' }).map(({ job, track: piece }) => {
    return { at: jobs.indexOf(job), track: piece }
  })
  return joinPieces(pieces, foldsOf({ jobs }))
}

/**
 * Returns the rounded visible position of each part on a frame; undefined for a part that is hidden or has not begun.
 */
function positionsAt({ shapes, elements }: Track, frame: number) {
  const parts = elements.length > 0 ? elements.map((one) => one.shapes) : [shapes]
  return parts.map((part) => {
    const state = trackAt(part, frame)
    if (!state || state.outside) return undefined
    const round = (value: number) => Math.round(value * 1e8) / 1e8 + 0
    // Rounding may turn almost 360 degrees into 360, which equals 0.
    return { points: state.points.map(round), rotation: round(state.rotation) % 360 }
  })
}

const numbers = (count: number) =>
  fc.array(fc.integer({ min: -50, max: 50 }), { minLength: count, maxLength: count })

function shapesOf(type: 'rectangle' | 'ellipse' | 'points'): fc.Arbitrary<TrackShape[]> {
  const one = fc.record({
    ...{ frame: fc.nat(30), points: numbers(type === 'points' ? 2 : 4), outside: fc.boolean() },
    keyframe: fc.oneof(fc.constant(true), fc.boolean()),
    rotation: fc.integer({ min: 0, max: 359 }),
  })
  return fc
    .uniqueArray(one, { selector: ({ frame }) => frame, minLength: 1, maxLength: 8 })
    .map((all) =>
      all.sort((a, b) => a.frame - b.frame).map((given) => shape(given.frame, { type, ...given })),
    )
}

const anyTrack: fc.Arbitrary<Track> = fc
  .oneof(
    shapesOf('rectangle').map(track),
    shapesOf('ellipse').map(track),
    shapesOf('points').map(track),
    fc
      .array(shapesOf('points'), { minLength: 1, maxLength: 3 })
      .map((parts) => skeleton(parts[0]?.[0]?.frame ?? 0, parts)),
  )
  .map(normalizeTrack)

/** Jobs of a task of 31 frames, with any segment size and overlap. */
const anyJobs: fc.Arbitrary<JobRange[]> = fc
  .tuple(fc.integer({ min: 2, max: 12 }), fc.nat(11))
  .map(([size, given]) => {
    const step = size - Math.min(given, size - 1)
    const ranges: [number, number][] = []
    for (let start = 0; ; start += step) {
      ranges.push([start, Math.min(start + size - 1, 30)])
      if (start + size > 30) return jobsOf(...ranges)
    }
  })
