import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import { expect, test } from 'vitest'
import { jobRange } from '../testing/workspace.ts'
import { openComparer } from './similar.ts'
import { openTrackFolder, type SharedPiece, sharedEdges } from './tracks.ts'

/** Which tracks of different jobs are one track: docs/spec/annotations.md#task-level */

const overlapping = [jobRange(1, 0, 4), jobRange(2, 3, 7), jobRange(3, 6, 9)]
const threefold = [jobRange(1, 0, 5), jobRange(2, 2, 7), jobRange(3, 4, 9)]

test('tracks that are similar on the shared frames are one, across any number of jobs', () => {
  const pieces = [piece(1, 10, [0, 4]), piece(2, 20, [3, 7]), piece(3, 30, [6, 9])]
  expect(pairs(overlapping, pieces)).toEqual({ 20: 10, 30: 10 })
  expect(
    pairs(threefold, [piece(1, 10, [0, 5]), piece(2, 20, [2, 7]), piece(3, 30, [4, 9])]),
  ).toEqual({
    20: 10,
    30: 10,
  })
})

test('tracks that do not match on shared frames are separate', () => {
  expect(pairs(overlapping, [piece(1, 10, [0, 2]), piece(2, 20, [5, 7])])).toEqual({})
  const moved = piece(2, 20, [3, 7], { dx: 300 })
  expect(pairs(overlapping, [piece(1, 10, [0, 4]), moved])).toEqual({})
})

test('tracks that match on half of the shared frames are one, on fewer they are separate', () => {
  const late = { ...piece(2, 20, [4, 7]) }
  expect(pairs(overlapping, [piece(1, 10, [0, 4]), late])).toEqual({ 20: 10 })
  const wide = [jobRange(1, 0, 5), jobRange(2, 3, 9)]
  expect(pairs(wide, [piece(1, 10, [0, 5]), piece(2, 20, [5, 9])])).toEqual({})
})

test('pieces of one origin belong together and match no other track in the same jobs', () => {
  const cut = [
    piece(1, 10, [0, 4], { jobs: [1, 2] }),
    piece(2, 10, [3, 7], { dx: 300, jobs: [1, 2] }),
  ]
  expect(pairs(overlapping, [...cut, piece(2, 20, [3, 7])])).toEqual({})
  // Its piece in the third job is on none of the frames that the second job shares with it.
  const later = [piece(1, 10, [0, 4], { jobs: [1, 3] }), piece(2, 20, [3, 7])]
  expect(pairs(overlapping, [...later, piece(3, 10, [6, 9], { jobs: [1, 3] })])).toEqual({ 20: 10 })
  const earlier = [piece(2, 20, [3, 7]), piece(3, 10, [6, 9], { jobs: [1, 3] })]
  expect(pairs(overlapping, earlier)).toEqual({})
})

test('two origins with pieces in the same job stay separate', () => {
  const first = piece(1, 10, [0, 4], { jobs: [1, 3] })
  const second = [piece(2, 20, [3, 7], { jobs: [2, 3] }), piece(3, 20, [6, 9], { jobs: [2, 3] })]
  expect(pairs(overlapping, [first, ...second, piece(3, 10, [6, 9], { jobs: [1, 3] })])).toEqual({})
})

test('pairs are chosen for the best total similarity', () => {
  const given = [
    piece(1, 10, [0, 4]),
    piece(1, 11, [0, 4], { dx: 4 }),
    piece(2, 20, [3, 7], { dx: 1 }),
    piece(2, 21, [3, 7], { dx: -2 }),
  ]
  expect(pairs(overlapping, given)).toEqual({ 20: 11, 21: 10 })
})

test('a track that has ended is compared only on frames where it was visible', () => {
  const ended = piece(1, 10, [0, 3, 4], { hide: 4 })
  expect(pairs(overlapping, [ended, piece(2, 20, [3, 7])])).toEqual({ 20: 10 })
  expect(pairs(overlapping, [piece(1, 10, [0, 3], { hide: 3 }), piece(2, 20, [3, 7])])).toEqual({})
})

test('the shared frames at the edges of each job are computed', () => {
  const none = 2_147_483_647
  expect(sharedEdges({ jobs: overlapping })).toEqual([
    { job_id: 1, head: -1, tail: 3 },
    { job_id: 2, head: 4, tail: 6 },
    { job_id: 3, head: 7, tail: none },
  ])
  const following = [jobRange(1, 0, 4), jobRange(2, 5, 9)]
  expect(sharedEdges({ jobs: following }).map(({ head, tail }) => [head, tail])).toEqual([
    [-1, none],
    [-1, none],
  ])
})

test('skeletons are compared joint by joint', () => {
  const person = (x: number, isHidden = false) => {
    const own = trackOf([0, 9], {})
    const joint = (label_id: number, dx: number) => ({
      ...{ ...own, elements: undefined, id: null, label_id },
      shapes: own.shapes.map((one) => {
        return { ...one, type: 'points' as const, points: [dx, 1], outside: isHidden && dx !== x }
      }),
    })
    const shapes = own.shapes.map((one) => ({ ...one, type: 'skeleton' as const, points: [] }))
    return { ...own, shapes, elements: [joint(50, x), joint(51, x + 1)] }
  }
  const { tracks } = openComparer(false)
  expect(tracks(person(1), person(1), 3, 4)).toBe(1)
  expect(tracks(person(1), person(2), 3, 4)).toBe(0)
  expect(tracks(person(1), person(1, true), 3, 4)).toBe(0)
})

// ---- support

interface Given {
  /** Offset to the right. */
  dx?: number
  /** Frame on which it is hidden. */
  hide?: number
  jobs?: number[]
}

function piece(job: number, origin: number, frames: number[], given: Given = {}) {
  const { jobs = [job] } = given
  return { job, piece: { origin, jobs, track: trackOf(frames, given) } satisfies SharedPiece }
}

function trackOf(frames: number[], { dx = 0, hide }: Given): Track {
  const shapes = frames.map((frame): TrackShape => {
    const left = 2 * frame + dx
    return {
      ...{ id: null, type: 'rectangle', frame, keyframe: true, points: [left, 0, left + 20, 10] },
      ...{ occluded: false, outside: frame === hide, z_order: 0, rotation: 0, attributes: [] },
    }
  })
  const plain = { id: null, label_id: 40, group: 0, source: 'manual' as const, attributes: [] }
  return { ...plain, frame: frames[0] ?? 0, shapes, elements: [] }
}

function pairs(jobs: typeof overlapping, pieces: ReturnType<typeof piece>[]) {
  const folder = openTrackFolder({ jobs, dimension: '2d' })
  for (const one of pieces.toSorted((a, b) => a.job - b.job)) folder.add(one.job, one.piece)
  return Object.fromEntries(folder.finish())
}
