/**
 * Between the messages of the bus and the slots of a worker: one message lets one free slot try once. No message is taken
 * that no free slot could answer, so that what is left unread on the bus is what waits in the queue (`reliability.md` 6.3).
 */
export interface Doorbell {
  /** A message was taken. */
  ring: () => void
  /** A free slot waits until a message is meant for it, or `ms` have passed. True: a message, and it is free no more. */
  wait: (ms: number) => Promise<boolean>
  /** A slot looked and found work; `isFree`: by itself, neither woken nor coming from other work. */
  found: (isFree: boolean) => void
  /** A slot looked and found nothing, and is free. */
  foundNothing: (isFree: boolean) => void
  /** Nobody waits any more. */
  close: () => void
}

interface State {
  /** Slots that neither work nor were woken. */
  free: number
  /** Messages that came while every free slot was just looking by itself. */
  kept: number
  /** Requests found, less messages taken. Above 0, messages are taken and let go: theirs are found already. */
  ahead: number
}

/**
 * @param slots all of them free
 * @param listen told whether messages are wanted, whenever that changes; at the beginning they are
 */
export function openDoorbell(slots: number, listen: (isWanted: boolean) => void): Doorbell {
  const waiting = new Set<(isRung: boolean) => void>()
  const state: State = { free: slots, kept: 0, ahead: 0 }
  let isWanted = true
  let isClosed = false

  const change = (changes: Partial<State>) => {
    Object.assign(state, changes)
    const before = isWanted
    isWanted = state.free > state.kept || state.ahead > 0
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
      const ahead = state.ahead - 1
      const [wake] = waiting
      wake?.(true)
      if (wake) change({ ahead, free: state.free - 1 })
      else change({ ahead, kept: Math.min(state.kept + 1, state.free) })
    },
    wait: async (ms) => {
      if (isClosed) return false
      if (state.kept === 0) return wait(ms)
      change({ kept: state.kept - 1, free: state.free - 1 })
      return true
    },
    found: (isFree) => {
      const ahead = state.ahead + 1
      if (!isFree) return change({ ahead })
      // A message that came meanwhile told of just this.
      change({ ahead, free: state.free - 1, kept: Math.max(0, state.kept - 1) })
    },
    foundNothing: (isFree) => change({ ahead: 0, free: state.free + Number(!isFree) }),
    close: () => {
      isClosed = true
      for (const leave of [...waiting]) leave(false)
    },
  }
}
