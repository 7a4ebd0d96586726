import { expect, test } from 'vitest'
import { longestWay, type Pass, passesOf, restOf } from './passes.ts'

/** Index of a thousand frames of ten ticks with a key frame every hundred frames. */
const index = {
  pts: Float64Array.from({ length: 1000 }, (_, frame) => frame * 10),
  keys: Float64Array.from({ length: 10 }, (_, key) => key * 1000),
}
const options = { leap: 50, mostSpans: 3, mostFrames: 400 }
const passes = (wanted: Iterable<number>, given = options) => [...passesOf(index, wanted, given)]
const range = (first: number, last: number, step = 1) =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => first + at * step)

test('adjacent frames form one span, from the key frame before the first of them', () => {
  expect(passes(range(130, 165))).toEqual([
    { from: 1000, spans: [{ first: 1300, last: 1650 }], frames: range(130, 165) },
  ])
})

test('frames after the first key frame start at the beginning of the file', () => {
  expect(passes([0, 99]).map(({ from }) => from)).toEqual([undefined])
})

test('a short gap is decoded and dropped, a long one starts a new pass', () => {
  const spans = passes([110, 150, 420, 421]).map((pass) => [pass.from, pass.spans])
  expect(spans).toEqual([
    [
      1000,
      [
        { first: 1100, last: 1100 },
        { first: 1500, last: 1500 },
      ],
    ],
    [4000, [{ first: 4200, last: 4210 }]],
  ])
})

test('a long gap without a key frame is decoded, because a new pass would start before the gap', () => {
  expect(passes([101, 199])).toHaveLength(1)
})

test('a pass is limited to a number of spans and frames', () => {
  expect(passes(range(100, 190, 10)).map(({ spans }) => spans.length)).toEqual([3, 3, 3, 1])
  expect(passes(range(0, 999)).map(({ frames }) => frames.length)).toEqual([400, 400, 200])
})

test('without key frames every pass starts at the beginning of the file', () => {
  const found = [...passesOf({ ...index, keys: new Float64Array() }, [10, 900], options)]
  expect(found.map(({ from, frames }) => [from, frames])).toEqual([[undefined, [10, 900]]])
})

test('wanted frames are read one ahead', () => {
  let read = 0
  function* wanted() {
    for (const frame of range(0, 999, 300)) {
      read += 1
      yield frame
    }
  }
  passesOf(index, wanted(), options).next()
  expect(read).toBe(2)
})

test('the rest of a pass starts at its own key frame, or `retreat` frames earlier', () => {
  const [pass] = passes([110, 150, 240])
  const rest = (retreat: number) => restOf(index, pass ?? empty, 2, retreat)
  expect(rest(0)).toEqual({ from: 2000, spans: [{ first: 2400, last: 2400 }], frames: [240] })
  expect(rest(1).from).toBe(1000)
  expect(rest(139).from).toBe(1000)
  expect(rest(141).from).toBeUndefined()
})

const empty: Pass = { from: undefined, spans: [], frames: [] }

test('the longest way of a pass is its longest gap', () => {
  const [near = empty] = passes([130, 150])
  const [far = empty] = passes([101, 199])
  expect([longestWay(index, near), longestWay(index, far)]).toEqual([30, 98])
})
