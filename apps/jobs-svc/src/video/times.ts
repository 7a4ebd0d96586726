/** A growing list of times, eight bytes each: a video may have millions. */
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
    /** Ascending, each once, none before `from`. */
    sorted: (from = Number.NEGATIVE_INFINITY): Float64Array => {
      const all = room.slice(0, count).sort()
      return all.filter((time, place) => time >= from && time !== all[place - 1])
    },
  }
}
