/** Repeatable random numbers: the same seed gives the same sequence. */
export interface Random {
  /** Returns a number from 0 to below 1. */
  next: () => number
  /** Returns a whole number from 0 to below `count`. */
  below: (count: number) => number
  pick: <T>(list: readonly T[]) => T
  /** Returns true with that probability. */
  isTrue: (probability: number) => boolean
  /** Returns a double between the bounds, of any magnitude: as many below 1 as above, down to subnormal ones. */
  double: (most: number) => number
}

/** Uses the generator mulberry32. */
export function openRandom(seed: number): Random {
  let state = seed >>> 0
  const bits = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const next = () => bits() / 2 ** 32
  const below = (count: number) => Math.floor(next() * count)
  const pick = <T>(list: readonly T[]): T => {
    const one = list[below(list.length)]
    if (one === undefined) throw new RangeError('there is nothing to pick from')
    return one
  }
  const view = new DataView(new ArrayBuffer(8))
  const double = (most: number): number => {
    for (;;) {
      view.setUint32(0, bits())
      view.setUint32(4, bits())
      const value = view.getFloat64(0)
      if (Math.abs(value) <= most) return value
    }
  }
  return { next, below, pick, isTrue: (probability) => next() < probability, double }
}
