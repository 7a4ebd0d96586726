/** Draws `count` numbers out of `from` to `to`, inclusive and ascending, none of them twice. */
export type Draw = (count: number, from: number, to: number) => number[]

/** One seed gives one sequence of draws, on every machine and in every release: a seed stands for its frames. */
export function drawing(seed: number): Draw {
  const next = numbersOf(seed)
  return (count, from, to) => {
    const drawn = new Set<number>()
    const size = to - from + 1
    // Floyd's sample: of every new place either the draw, or where that is taken already the place itself.
    for (let last = size - count; last < size; last++) {
      const place = Math.floor(next() * (last + 1))
      drawn.add(drawn.has(place) ? last : place)
    }
    return [...drawn].map((place) => from + place).sort((a, b) => a - b)
  }
}

/** Numbers of 32 bits from 0 up to but without 1 (mulberry32, public domain). */
function numbersOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
