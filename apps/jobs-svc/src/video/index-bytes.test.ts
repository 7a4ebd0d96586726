import { expect, test } from 'vitest'
import { mostTime, type VideoIndex } from './decoder.ts'
import { BrokenIndex, decodeIndex, encodeIndex } from './index-bytes.ts'

const indexOf = (pts: Iterable<number>, keys: Iterable<number> = [0]): VideoIndex => ({
  codec: 'h264',
  by: 'time',
  width: 1280,
  height: 720,
  orientation: { isMirrored: true, turn: 270 },
  time_base: { num: 1, den: 12_800 },
  pts: Float64Array.from(pts),
  keys: Float64Array.from(keys),
})

/** Creates a generator of pseudo-random numbers from 0 to 1, reproducible by its seed. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

test('any ascending times are decoded unchanged', () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const roll = dice(seed)
    const times = (most: number) => {
      let time = Math.floor((roll() - 0.5) * 10 ** (roll() * 14))
      const widest = 10 ** (roll() * 10)
      return Array.from({ length: Math.floor(roll() * most) }, () => {
        time += 1 + Math.floor(roll() * widest)
        return time
      })
    }
    const index = indexOf(times(200), times(20))
    expect(decodeIndex(encodeIndex(index))).toEqual(index)
  }
})

test('the largest times are decoded unchanged', () => {
  const index = indexOf([-mostTime, mostTime - 1, mostTime], [-mostTime, mostTime])
  expect(decodeIndex(encodeIndex(index))).toEqual(index)
})

test('an index by order is decoded unchanged', () => {
  const index: VideoIndex = { ...indexOf([0, 1, 2], []), by: 'order', codec: 'mpeg4' }
  expect(decodeIndex(encodeIndex(index))).toEqual(index)
})

test('evenly spaced frames take a fraction of a byte each, uneven ones hardly more than one', () => {
  const even = Array.from({ length: 100_000 }, (_, frame) => frame * 512)
  expect(encodeIndex(indexOf(even)).length).toBeLessThan(1000)
  const roll = dice(7)
  const uneven = even.map((time) => time + Math.floor(roll() * 20))
  expect(encodeIndex(indexOf(uneven)).length).toBeLessThan(uneven.length * 1.1)
})

test('an index with any changed byte or a cut end is refused', () => {
  const whole = encodeIndex(indexOf([0, 40, 80, 130, 160], [0, 80]))
  for (let at = 0; at < whole.length; at += 1) {
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] ?? 0) ^ 16
    expect(() => decodeIndex(changed)).toThrow(BrokenIndex)
    expect(() => decodeIndex(whole.subarray(0, at))).toThrow(BrokenIndex)
  }
})
