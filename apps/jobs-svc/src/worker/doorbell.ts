/**
 * Between the messages of the bus and the slots of a worker: one message lets one free slot try once. No message is taken
 * that no free slot could answer, so that what is left unread on the bus is what waits in the queue (`reliability.md` 6.3).
 */
export interface Doorbell {
  /** A message was taken. */
  ring: () => void
  /** A slot waits until a message is meant for it, or `ms` have passed. True: a message. */
  wait: (ms: number) => Promise<boolean>
  /** A slot has found work; `isRung` as it came out of `wait`, false for a slot that looked by itself. */
  found: (isRung: boolean) => void
  /** A slot looked and found nothing. */
  foundNothing: (isRung: boolean) => void
  /** A slot has done its work. */
  done: () => void
  /** Nobody waits any more. */
  close: () => void
}

interface State {
  /** Slots that neither work nor were woken. */
  free: number
  /** Messages that came while every free slot was just looking by itself. */
  kept: number
  /** Messages still on the bus whose request a slot has found by itself: they are taken and let go. */
  owed: number
}

/**
 * @param slots all of them free
 * @param listen told whether messages are wanted, whenever that changes; at the beginning they are
 */
export function openDoorbell(slots: number, listen: (isWanted: boolean) => void): Doorbell {
  const waiting = new Set<(isRung: boolean) => void>()
  const state: State = { free: slots, kept: 0, owed: 0 }
  let isWanted = true
  let isClosed = false

  const change = (changes: Partial<State>) => {
    Object.assign(state, changes)
    const before = isWanted
    isWanted = state.free > state.kept || state.owed > 0
    if (isWanted !== before && !isClosed) listen(isWanted)
  }
  const wait = (ms: number) =>
    new Promise<boolean>((resolve) => {
      const leave = (isRung: boolean) => {
        clearTimeout(timer)
        waiting.delete(leave)
        resolve(isRung)
      }
      const timer = setTimeout(() => leave(false), ms)
      waiting.add(leave)
    })

  return {
    ring: () => {
      const owed = Math.max(0, state.owed - 1)
      const [wake] = waiting
      wake?.(true)
      if (wake) change({ owed, free: state.free - 1 })
      else change({ owed, kept: Math.min(state.kept + 1, state.free) })
    },
    wait: async (ms) => {
      if (isClosed) return false
      if (state.kept === 0) return wait(ms)
      change({ kept: state.kept - 1, free: state.free - 1 })
      return true
    },
    found: (isRung) => {
      if (isRung) return
      const free = state.free - 1
      // A message that came meanwhile told of just this.
      if (state.kept > 0) change({ free, kept: state.kept - 1 })
      else change({ free, owed: state.owed + 1 })
    },
    foundNothing: (isRung) => change({ owed: 0, free: state.free + Number(isRung) }),
    done: () => change({ free: state.free + 1 }),
    close: () => {
      isClosed = true
      for (const leave of [...waiting]) leave(false)
    },
  }
}
