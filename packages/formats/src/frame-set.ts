/** Which frames of which tracks are taken: a bit each, so that millions fit where they lie close together. */
export interface FrameSet {
  /** Frames right before the first and right behind the last may be asked for: they are not there. */
  has(track: number, frame: number): boolean
  add(track: number, frame: number): void
}

/** Of a word: bits that fit into what engines keep as a small integer. */
const wordBits = 32

/** @param lastFrame No frame that is added lies behind it. */
export function frameSet(lastFrame: number): FrameSet {
  const words = new Map<number, number>()
  // The frames of all tracks in one row, with a free place on either side of each track.
  const placeOf = (track: number, frame: number): number => track * (lastFrame + 3) + frame + 1
  return {
    has(track, frame) {
      const place = placeOf(track, frame)
      const word = words.get(Math.floor(place / wordBits)) ?? 0
      return (word & (1 << (place % wordBits))) !== 0
    },
    add(track, frame) {
      const place = placeOf(track, frame)
      const at = Math.floor(place / wordBits)
      words.set(at, (words.get(at) ?? 0) | (1 << (place % wordBits)))
    },
  }
}
