/** Set of pairs of track and frame. Each pair takes one bit, so millions fit in memory when they are close together. */
export interface TrackFrameSet {
  /**
   * Returns whether the set contains the frame. Frames directly before the first and after the last may be queried;
   * they are never contained.
   */
  has(track: number, frame: number): boolean
  add(track: number, frame: number): void
}

/** Bits of a word that engines keep as a small integer. */
const wordBits = 32

/**
 * Creates an empty set.
 * @param lastFrame Largest frame number that may be added.
 */
export function frameSet(lastFrame: number): TrackFrameSet {
  const words = new Map<number, number>()
  // All tracks share one range of positions, with an unused position on either side of each track.
  const positionOf = (track: number, frame: number): number => track * (lastFrame + 3) + frame + 1
  return {
    has(track, frame) {
      const position = positionOf(track, frame)
      const word = words.get(Math.floor(position / wordBits)) ?? 0
      return (word & (1 << (position % wordBits))) !== 0
    },
    add(track, frame) {
      const position = positionOf(track, frame)
      const at = Math.floor(position / wordBits)
      words.set(at, (words.get(at) ?? 0) | (1 << (position % wordBits)))
    },
  }
}
