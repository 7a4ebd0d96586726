/** Draws `count` distinct numbers from `from` to `to` (inclusive), ascending. */
export type Draw = (count: number, from: number, to: number) => number[]

/**
 * Returns a seeded draw. A seed gives the same sequence on every machine and in every release, because users repeat a
 * selection by its seed.
 */
export function createDraw(seed: number): Draw {
  const next = numbersOf(seed)
  return (count, from, to) => {
    const drawn = new Set<number>()
    const size = to - from + 1
    // Floyd's sampling: for each new place take the drawn place, or the new place itself when that was drawn before.
    for (let last = size - count; last < size; last++) {
      const place = Math.floor(next() * (last + 1))
      drawn.add(drawn.has(place) ? last : place)
    }
    return [...drawn].map((place) => from + place).sort((a, b) => a - b)
  }
}

/** Returns a generator of 32-bit numbers from 0 up to but without 1 (mulberry32, public domain). */
function numbersOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
