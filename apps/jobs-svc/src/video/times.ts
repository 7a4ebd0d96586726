/** Creates a growing list of times, eight bytes each: a video may have millions. */
export function gatherTimes() {
  let room = new Float64Array(4096)
  let count = 0
  return {
    add: (time: number) => {
      if (count === room.length) {
        const wider = new Float64Array(count * 2)
        wider.set(room)
        room = wider
      }
      room[count] = time
      count += 1
    },
    count: () => count,
    /** Ascending, with duplicates, none before `from`. */
    sorted: (from = Number.NEGATIVE_INFINITY): Float64Array =>
      room
        .slice(0, count)
        .sort()
        .filter((time) => time >= from),
  }
}

/** Removes duplicates from ascending times. */
export const differentTimes = (sorted: Float64Array): Float64Array =>
  sorted.filter((time, place) => time !== sorted[place - 1])

export const areEqual = (one: Float64Array, other: Float64Array): boolean =>
  one.length === other.length && one.every((time, place) => time === other[place])
